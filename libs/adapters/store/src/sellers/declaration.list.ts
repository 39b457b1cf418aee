import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Accounts that were declared at sellers, or wait for another person. One may be of any client, so they need reach on everything. */
export const declarationList = list({
  from: `account_declaration d
    join connection c on c.organization_id = d.organization_id and c.id = d.connection_id
    left join principal m on m.organization_id = d.organization_id and m.id = d.made_by
    left join principal b on b.organization_id = d.organization_id and b.id = d.decided_by`,
  id: 'declaration_id',
  fields: {
    declaration_id: { sql: 'd.id', kind: 'id' },
    seller: { sql: 'c.slug', kind: 'text' },
    client_id: {
      sql: 'd.client_id',
      kind: 'id',
      none: 'absent',
      describe: 'The client whose own login declares it; absent: the login of the seller.',
    },
    state: {
      sql: 'd.state',
      kind: ['waiting', 'sent', 'withdrawn'],
      filter: 'eq',
      describe: 'waiting: another person has to approve it. sent: the seller has answered.',
    },
    account: { sql: 'd.account', kind: 'json', describe: 'What is declared.' },
    preview: { sql: 'd.preview', kind: 'json', describe: 'What the seller said that it would do.' },
    outcome: { sql: 'd.outcome', kind: 'json', none: 'absent', describe: 'What the seller did.' },
    made_by: { sql: 'm.name', kind: 'text', none: 'absent' },
    created_at: { sql: 'd.made_at', kind: 'instant' },
    decided_by: { sql: 'b.name', kind: 'text', none: 'absent' },
    decided_at: { sql: 'd.decided_at', kind: 'instant', none: 'absent' },
  },
  orders: {
    newest: byTime('d.made_at', { column: 'd.id', isDescending: true }),
    oldest: byTime('d.made_at', { column: 'd.id', isDescending: true }, 'oldest'),
  },
  time: 'd.made_at',
  reach: 'organization',
});
