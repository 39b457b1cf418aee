import { err, ok, type JsonObject } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

const shown = { endpoint_id: '4d1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11', name: 'warehouse' } as const;
const noticeId = '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11';
const settings = {
  email: 'who@agency.example',
  mail_server: true,
  time_zone: 'Europe/Berlin',
  digest_hour: 8,
  kinds: [
    {
      kind: 'approval.requested',
      describe: 'A request waits.',
      severity: 'warning',
      console: 'now',
      mail: 'daily',
    },
  ],
} as const;

/** Notices and endpoints: `requested` gets each body, and one receiver refuses what it is sent. */
export function specNotices(requested: unknown[]): SpecAnswers {
  const noted = (body: unknown): void => void requested.push(body);
  const state = (is: string) => () => ok({ ...shown, state: is });
  return {
    list_notices: 'example',
    read_notices: ({ body }) => {
      noted(body);
      return ok({ changed: (body as { notice_ids?: readonly string[] }).notice_ids?.length ?? 7 });
    },
    unread_notices: () => ok({ changed: 1 }),
    show_notice_settings: () => ok(settings),
    set_notice_settings: ({ body }) => {
      noted(body);
      const { quiet } = body as { readonly quiet?: JsonObject | null };
      return ok({ ...settings, ...(quiet && { quiet }) });
    },
    add_endpoint: ({ body }) => {
      const { url: _sealed, ...rest } = body as { readonly url?: string };
      noted(rest);
      return ok({
        ...shown,
        channel: 'webhook',
        origin: 'https://hooks.agency.example',
        kinds: ['approval.requested'],
        state: 'active',
        created_at: '2026-11-21T12:00:00.000Z',
        signing_key: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
      });
    },
    test_endpoint: () => ok({ ...shown, state: 'active', sent: false, reason: 'status \u001b[31m500' }),
    pause_endpoint: state('paused'),
    resume_endpoint: state('active'),
    rotate_endpoint: () =>
      ok({ ...shown, state: 'active', signing_key: 'whsec_new', previous_until: '2026-11-22T12:00:00.000Z' }),
    remove_endpoint: () => ok({ ...shown, removed: true }),
    list_endpoint_deliveries: () =>
      ok({
        deliveries: [
          {
            delivery_id: noticeId,
            kind: 'approval.requested',
            object: { kind: 'approval', id: 'a' },
            state: 'failed',
            attempts: 9,
            reason: 'status 500',
            at: '2026-11-21T12:00:00.000Z',
          },
        ],
      }),
    resend_delivery: ({ params }) =>
      params['delivery'] === noticeId
        ? ok({ endpoint_id: shown.endpoint_id, delivery_id: noticeId, state: 'waiting' })
        : err({ code: 'NOT_FOUND', message: 'There is no delivery with this id that has ended.' }),
  };
}
