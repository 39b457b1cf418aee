import { expect, it } from '@jest/globals';
import { noticeRoutes } from './notices.routes.js';
import { textOf } from './notice-text.js';

it('what waits for an approval is told with its page and with its end', () => {
  const told = textOf({
    ...{ id: 'n', kind: 'approval.requested', objectKind: 'approval', objectId: 'a1', at: 0, dedupeKey: 'd' },
    data: {
      control: 'set_limit',
      subject: 'limit on Nova',
      reason: 'Lets more be spent.',
      expires_at: '2026-12-03T12:27:33Z',
    },
  });
  expect(told).toEqual({
    title: 'A change waits for your approval: limit on Nova',
    body: 'Lets more be spent. It expires at 2026-12-03 12:27 UTC.',
    path: '/inbox/approvals?approval_id=a1',
  });
});

it('quiet hours that end when they begin are refused, as they would never be or always', () => {
  const body = noticeRoutes.find(({ id }) => id === 'set_notice_settings')?.body;
  const hours = (from: string, to: string) => body?.safeParse({ quiet: { from, to } }).success;
  expect([hours('22:00', '07:00'), hours('07:00', '07:00')]).toEqual([true, false]);
});
