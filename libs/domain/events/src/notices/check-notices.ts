import { noticeBody, type NoticeConnector, type ToldNotice } from './notice-connector.js';

/** What one rule of the kit found. */
export interface NoticeFinding {
  readonly rule: string;
  readonly passed: boolean;
  readonly words: string;
}

const notice = (more: Partial<ToldNotice> = {}): ToldNotice => ({
  id: '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  kind: 'approval.requested',
  severity: 'warning',
  title: 'A buy waits for approval',
  link: 'https://hub.example/console/approvals/1',
  at: '2026-11-30T12:00:00.000Z',
  object: { kind: 'approval', id: '1' },
  ...more,
});

/** What is easily forgotten: no body, signs that chats give a meaning, other alphabets, and the longest texts. */
const notices: readonly ToldNotice[] = [
  notice(),
  notice({ severity: 'critical', body: '10 < 20 & "so" <https://evil.example|Approve> *all* `x`' }),
  notice({ severity: 'info', title: 'Käufe für 東京 🚲', body: 'zwei\nZeilen' }),
  notice({ severity: 'error', title: 'x'.repeat(500), body: 'y'.repeat(4_000) }),
];

/**
 * Judges a connector by notices that are made for the trial. Each rule is one that sending relies on
 * (docs/guides/connectors.md#a-place-for-notices).
 */
export function checkNotices(connector: NoticeConnector): readonly NoticeFinding[] {
  const texts = notices.map((one) => {
    // What a connector changes of a notice would show in the next attempt.
    const frozen = Object.freeze({ ...one, object: Object.freeze({ ...one.object }) });
    return [
      one,
      noticeBody(connector, frozen)?.toString(),
      noticeBody(connector, frozen)?.toString(),
    ] as const;
  });
  return Object.entries(rules).map(([rule, judge]) => {
    const words = judge(connector, texts);
    return { rule, passed: words === undefined, words: words ?? 'It does.' };
  });
}

type Texts = readonly (readonly [ToldNotice, string | undefined, string | undefined])[];

/** Each answers what is wrong, or undefined. */
const rules: Readonly<Record<string, (connector: NoticeConnector, texts: Texts) => string | undefined>> = {
  'has a name that can be a channel': ({ channel }) =>
    /^[a-z][a-z0-9-]{0,40}$/.test(channel) ? undefined : `${channel} can not.`,
  'writes a body for every notice, within the size': (_, texts) =>
    texts.every(([, text]) => text !== undefined) ? undefined : 'One has no body of at most 64 KiB.',
  'writes the same body for the same notice': (_, texts) =>
    texts.every(([, one, other]) => one === other) ? undefined : 'Two runs differ.',
  'says the title and leads to the page': (_, texts) =>
    texts.every(
      ([{ title, link }, text]) =>
        text?.includes(JSON.stringify(title.slice(0, 40)).slice(1, -1)) === true && text.includes(link),
    )
      ? undefined
      : 'One lacks its title or its link.',
  'makes no link of what a person wrote': (_, texts) =>
    texts.some(([, text]) => text?.includes('<https://evil.example|') === true)
      ? 'A text with the signs of a link becomes one.'
      : undefined,
};
