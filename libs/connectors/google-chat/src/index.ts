import type { NoticeConnector } from '@switchyard/events';

/** Longest text that an incoming webhook of Google Chat is given, in characters: it takes 32,000 bytes. */
const mostText = 4_000;

/** In a text of Google Chat these two signs make links; nothing escapes them. */
const plain = (text: string): string => text.replaceAll('<', '‹').replaceAll('>', '›').slice(0, mostText);

/** Notices to a space of Google Chat, by the address of an incoming webhook. */
export const googleChat: NoticeConnector = {
  kind: 'notices',
  channel: 'google-chat',
  title: 'Google Chat',
  body: ({ title, body, link }) => ({
    text: [
      `*${plain(title)}*`,
      ...(body === undefined ? [] : [plain(body)]),
      `<${link}|Open in Switchyard>`,
    ].join('\n'),
  }),
};

export const connectors = [googleChat];
