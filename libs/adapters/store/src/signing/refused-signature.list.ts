import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Signed messages that were refused, each with the steps of the verdict. */
export const refusedSignatureList = list({
  from: 'refused_signature r',
  id: 'refusal_id',
  fields: {
    refusal_id: { sql: 'r.id', kind: 'id' },
    code: { sql: 'r.code', kind: 'text', filter: 'eq' },
    method: { sql: 'r.method', kind: 'text' },
    path: { sql: 'r.path', kind: 'text' },
    refused_at: { sql: 'r.refused_at', kind: 'instant' },
    keyid: { sql: 'r.keyid', kind: 'text', none: 'absent' },
    agent_url: { sql: 'r.agent_url', kind: 'text', none: 'absent' },
    principal: { sql: 'r.principal_name', kind: 'text', none: 'absent' },
    is_stranger: {
      sql: 'r.is_stranger',
      kind: 'flag',
      describe: 'True when nothing in it that could be checked names its sender.',
    },
    steps: { sql: 'r.steps', kind: 'json' },
  },
  orders: {
    newest: byTime('r.refused_at', { column: 'r.id', isDescending: true }),
    oldest: byTime('r.refused_at', { column: 'r.id', isDescending: true }, 'oldest'),
  },
  time: 'r.refused_at',
  reach: 'organization',
});
