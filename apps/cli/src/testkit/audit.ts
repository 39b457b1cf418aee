import { ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** Two acts on pages of one, the older one by somebody whose name is a formula. */
export function specAudit(): SpecAnswers {
  const at = '2026-11-21T12:00:00.000Z';
  const act = {
    kind: 'act',
    at,
    actor_id: 'p1',
    action: 'revoke_principal',
    object_kind: 'principal',
    object_id: 'p2',
    object_name: 'nova',
    outcome: 'ok',
    ended_at: at,
    detail: { path: { name: 'nova' } },
  };
  return {
    list_audit: ({ query }) => {
      const { cursor, kind } = query as { readonly cursor?: string; readonly kind?: string };
      if (kind === 'credential_use') return ok({ events: [] });
      return cursor === undefined
        ? ok({ events: [{ ...act, event_id: 'act-2', actor: 'ada' }], next_cursor: 'more' })
        : ok({ events: [{ ...act, event_id: 'act-1', actor: '=HYPERLINK("http://evil.example")' }] });
    },
  };
}
