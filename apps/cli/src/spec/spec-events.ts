import type { EventDetail, EventsAdmin } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

/** One webhook in quarantine; whatever is decided about it says by its state how. */
export function specEvents(): EventsAdmin {
  const event: EventDetail = {
    event_id: 'e1',
    seller: 'acme',
    kind: 'delivery_report',
    state: 'quarantined',
    reason: 'after_final',
    explanation: 'It came after the final report of its stream.',
    sender: 'https://acme.example/mcp',
    received_at: '2026-11-21T12:00:00.000Z',
    copies: 1,
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
  const decided =
    (state: EventDetail['state'], decision: 'admitted' | 'dismissed'): EventsAdmin['admit'] =>
    (caller, _id, reason) =>
      Promise.resolve(
        ok({ ...event, state, decision: { decision, reason, by: caller.name, decided_at: 'now' } }),
      );
  return {
    list: (_caller, { state, seller }) =>
      Promise.resolve(
        [event].filter((one) => one.state === (state ?? one.state) && one.seller === (seller ?? one.seller)),
      ),
    show: (_caller, id, asked) =>
      Promise.resolve(
        id === 'e1'
          ? ok(asked.raw ? { ...event, raw } : event)
          : err({ code: 'NOT_FOUND', message: 'No event of yours has this id.' } as const),
      ),
    admit: decided('applied', 'admitted'),
    dismiss: decided('refused', 'dismissed'),
  };
}
