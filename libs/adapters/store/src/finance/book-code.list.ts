import { list } from '../core/list.js';

/** The codes that accounts and sellers have in the books. */
export const bookCodeList = list({
  from: 'book_code b',
  id: 'account',
  fields: {
    account: {
      sql: 'b.key',
      kind: 'text',
      describe:
        'Name of an account of the ledger, vendor: and the slug of a seller, subsidiary, company_code, cost_centre, no_tax or tracking; with a system before a slash, of that system alone.',
    },
    code: { sql: 'b.code', kind: 'text' },
    name: { sql: 'b.name', kind: 'text' },
  },
  orders: { account: [{ column: 'b.key', type: 'text' }] },
});
