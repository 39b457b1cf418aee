import { expect, it } from '@jest/globals';
import { checkNotices, type NoticeConnector } from '@switchyard/events';
import { googleChat } from './index.js';

it('passes every rule of the kit, which finds a connector that breaks one', () => {
  const broken = (connector: NoticeConnector): readonly string[] =>
    checkNotices(connector).flatMap(({ rule, passed }) => (passed ? [] : [rule]));
  expect(broken(googleChat)).toEqual([]);
  let count = 0;
  const planted: readonly (readonly [Partial<NoticeConnector>, string])[] = [
    [{ channel: 'Google Chat' }, 'has a name that can be a channel'],
    [
      { body: ({ title, body, link }) => ({ text: `${title} ${body ?? ''} ${link}` }) },
      'makes no link of what a person wrote',
    ],
    [
      { body: ({ title, link }) => ({ text: title + link, count: (count += 1) }) },
      'writes the same body for the same notice',
    ],
    [{ body: ({ title }) => ({ text: title }) }, 'says the title and leads to the page'],
  ];
  for (const [plant, rule] of planted) expect(broken({ ...googleChat, ...plant })).toEqual([rule]);
  const tooLarge = { ...googleChat, body: () => ({ text: 'x'.repeat(70_000) }) };
  expect(broken(tooLarge)).toContain('writes a body for every notice, within the size');
});
