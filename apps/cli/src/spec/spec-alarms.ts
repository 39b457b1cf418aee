import type { AlarmsAdmin } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

/** One alarm that was raised three times, and one refused signature of a stranger. */
export function specAlarms(): AlarmsAdmin {
  const alarm = {
    alarm_id: 'a1',
    kind: 'jwks_uri_changed',
    subject: 'seller acme',
    detail: { named: 'https://new.example/\u001b[2J' },
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-21T12:00:00.000Z',
    count: 3,
  };
  return {
    list: (_caller, { isOpen }) => Promise.resolve(isOpen === false ? [] : [alarm]),
    acknowledge: (caller, id, { reason, accepts }) =>
      Promise.resolve(
        id === 'a1'
          ? ok({ ...alarm, acknowledged_by: caller.name, reason, detail: { accepts: String(accepts) } })
          : err({ code: 'NOT_FOUND', message: 'There is no such alarm.' } as const),
      ),
    refusedSignatures: (_caller, { code }) =>
      Promise.resolve(
        [
          {
            refusal_id: 'r1',
            code: 'request_signature_invalid',
            method: 'POST',
            path: '/mcp',
            refused_at: '2026-11-21T12:00:00.000Z',
            keyid: 'k\u001b[2J1',
            is_stranger: true,
            steps: [{ step: '10', name: 'signature', ok: false, seen: 'not by this key' }],
          },
        ].filter((one) => code === undefined || one.code === code),
      ),
  };
}
