import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Signed heads of the ledger, which holds the money of all clients. */
export const anchorList = list({
  from: 'journal_anchor a',
  id: 'anchor_id',
  fields: {
    anchor_id: { sql: 'a.id', kind: 'id' },
    stream: {
      sql: `a.stream || ':' || a.organization_id`,
      kind: 'text',
    },
    number: {
      sql: 'a.number::text',
      kind: 'text',
      describe: 'Number of the newest block then, as text.',
    },
    hash: { sql: 'a.hash', kind: 'text', describe: 'Hash of that block.' },
    entry_total: { sql: 'a.entry_total::text', kind: 'text' },
    sealed_at: { sql: 'a.sealed_at', kind: 'instant' },
    made_at: { sql: 'a.made_at', kind: 'instant' },
    jws: { sql: 'a.jws', kind: 'text', describe: 'Compact JWS (RFC 7515) whose payload is the anchor.' },
    key: {
      sql: 'a.key',
      kind: 'json',
      describe: 'Public key that it verifies with, as in /.well-known/jwks.json.',
    },
  },
  orders: {
    newest: byTime('a.made_at', { column: 'a.id', isDescending: true }),
    oldest: byTime('a.made_at', { column: 'a.id', isDescending: true }, 'oldest'),
  },
  reach: 'organization',
});
