import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Teams with who is in them. */
export const teamList = list({
  from: 'team t',
  id: 'team_id',
  fields: {
    team_id: { sql: 't.id', kind: 'id' },
    name: { sql: 't.name', kind: 'text' },
    members: {
      sql: `coalesce((
        select jsonb_agg(jsonb_build_object('principal_id', p.id, 'name', p.name) order by p.name)
        from team_member m join principal p on p.id = m.principal_id where m.team_id = t.id), '[]')`,
      kind: 'json',
    },
    created_at: { sql: 't.created_at', kind: 'instant' },
  },
  orders: byCreation('t'),
});
