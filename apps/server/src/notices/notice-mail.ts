import type { MailMessage } from '@switchyard/mail';
import type { NoticePerson } from '@switchyard/store';
import { escapeHtml } from '../platform/http/escape-html.js';
import type { NoticeText } from './notice-text.js';

interface Item extends Pick<NoticeText, 'title' | 'body'> {
  readonly link: string;
}

/** The mail of one notice, or of several. */
export function mailOf(
  id: string,
  { principal, email = '' }: Pick<NoticePerson, 'principal' | 'email'>,
  items: readonly Item[],
  settingsLink: string,
): MailMessage {
  const [first] = items;
  const subject =
    items.length === 1 && first !== undefined ? first.title : `${String(items.length)} notices of Switchyard`;
  const foot = `You get this mail because of your settings: ${settingsLink}`;
  const text = items
    .map(({ title, body, link }) => [title, ...(body === undefined ? [] : [body]), link].join('\n'))
    .join('\n\n');
  return {
    id,
    to: { name: principal.name, address: email },
    subject,
    text: `${text}\n\n-- \n${foot}\n`,
    html: pageOf(
      subject,
      items.map(itemOf).join('\n'),
      `<p style="color:#555">You get this mail because of <a href="${escapeHtml(settingsLink)}">your settings</a>.</p>`,
    ),
  };
}

const itemOf = ({ title, body, link }: Item): string =>
  `<h2 style="font-size:1rem;margin:1rem 0 0">${escapeHtml(title)}</h2>${
    body === undefined ? '' : `<p style="margin:0">${escapeHtml(body)}</p>`
  }<p style="margin:0"><a href="${escapeHtml(link)}">Open in Switchyard</a></p>`;

/** The layout of every mail. `main` and `foot` are HTML. */
export function pageOf(title: string, main: string, foot: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head>
<body style="font:16px/1.5 sans-serif;max-width:36rem;margin:0 auto;padding:1rem;color:#1a1b1e">
${main}
<hr>${foot}</body></html>`;
}
