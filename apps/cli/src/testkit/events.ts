import type { CheckedRequest } from '@switchyard/server';
import { err, ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** One webhook in quarantine; whatever is decided about it says by its state how. */
export function specEvents(): SpecAnswers {
  const row = {
    event_id: 'e1',
    seller: 'acme',
    kind: 'delivery_report',
    state: 'quarantined',
    reason: 'after_final',
    explanation: 'The seller has already sent the final report of this stream.',
    sender: 'https://acme.example/mcp',
    received_at: '2026-11-21T12:00:00.000Z',
    copies: 1,
    client: null,
    client_id: null,
    brand: null,
    brand_name: null,
    campaign: null,
    campaign_id: null,
  };
  const event = {
    ...row,
    registration_id: 'whr_1',
    body_sha256: 'abab',
    steps: [{ step: '1', name: 'parse', ok: true, seen: 'sig1 \u001b[2J' }],
    duplicates: [
      {
        body_sha256: 'cdcd',
        is_same_body: false,
        copies: 1,
        first_seen_at: '2026-11-21T12:00:01.000Z',
        last_seen_at: '2026-11-21T12:00:01.000Z',
      },
    ],
  };
  const raw = {
    method: 'POST',
    url: 'http://us/webhooks/whr_1',
    headers: [['Content-Type', 'application/json']] as const,
    body_base64: 'e30=',
    body_text: '{}',
  };
  const nameOf = (caller: CheckedRequest['caller']) => (caller === 'local' ? caller : caller.name);
  const decided =
    (state: string, decision: 'admitted' | 'dismissed'): SpecAnswers[string] =>
    ({ caller, body }) => {
      const by = { by: nameOf(caller), decided_at: '2026-11-21T12:00:02.000Z' };
      return ok({ ...event, state, decision: { decision, ...(body as object), ...by } });
    };
  return {
    resend_failed_events: 'example',
    list_events: ({ query }) => {
      const { state = event.state, seller = event.seller } = query as Record<string, string>;
      const isShown = state === event.state && seller === event.seller;
      return ok({ received: 1, applied: 0, quarantined: 1, events: isShown ? [row] : [] });
    },
    show_event: ({ params, query }) =>
      params['id'] === 'e1'
        ? ok((query as Record<string, string>)['raw'] === 'true' ? { ...event, raw } : event)
        : err({ code: 'NOT_FOUND', message: 'There is no event with this id.' }),
    admit_event: decided('applied', 'admitted'),
    dismiss_event: decided('refused', 'dismissed'),
  };
}
