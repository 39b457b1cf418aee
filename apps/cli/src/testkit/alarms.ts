import { err, ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** One alarm that was raised three times, and one refused signature of a stranger. */
export function specAlarms(): SpecAnswers {
  const alarm = {
    alarm_id: 'a1',
    kind: 'jwks_uri_changed',
    subject: 'seller acme',
    detail: { named: 'https://new.example/\u001b[2J' },
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-21T12:00:00.000Z',
    count: 3,
  };
  const refused = {
    refusal_id: 'r1',
    code: 'request_signature_invalid',
    method: 'POST',
    path: '/mcp',
    refused_at: '2026-11-21T12:00:00.000Z',
    keyid: 'k\u001b[2J1',
    is_stranger: true,
    steps: [{ step: '10', name: 'signature', ok: false, seen: 'not by this key' }],
  };
  return {
    list_alarms: ({ query }) =>
      ok({ alarms: (query as { state?: string }).state === 'acknowledged' ? [] : [alarm] }),
    acknowledge_alarm: ({ caller, params, body }) => {
      const { reason, accept } = body as { reason: string; accept: boolean };
      return params['id'] === 'a1'
        ? ok({
            ...alarm,
            acknowledged_by: caller === 'local' ? caller : caller.name,
            reason,
            detail: { accepts: String(accept) },
          })
        : err({ code: 'NOT_FOUND', message: 'There is no such alarm.' });
    },
    list_refused_signatures: ({ query }) => {
      const { code = refused.code } = query as { code?: string };
      return ok({ refused: code === refused.code ? [refused] : [] });
    },
  };
}
