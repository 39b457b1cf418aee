import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Roles of principals and of teams, each in a scope. */
export const grantList = list({
  from: `access_grant g left join principal p on p.id = g.principal_id left join team t on t.id = g.team_id`,
  id: 'grant_id',
  fields: {
    grant_id: { sql: 'g.id', kind: 'id' },
    principal_id: {
      sql: 'g.principal_id',
      kind: 'id',
      none: 'absent',
      describe: 'Who has it; absent where a team has.',
    },
    principal: { sql: 'p.name', kind: 'text', none: 'absent', describe: 'Its name.' },
    team_id: {
      sql: 'g.team_id',
      kind: 'id',
      none: 'absent',
      describe: 'The team that has it: everybody who is in it holds the role.',
    },
    team: { sql: 't.name', kind: 'text', none: 'absent', describe: 'Its name.' },
    role: { sql: 'g.role', kind: 'text' },
    scope: {
      sql: `g.scope_kind || case g.scope_id when '' then '' else ':' || g.scope_id end`,
      kind: 'text',
    },
    granted_by: {
      sql: 'g.granted_by',
      kind: 'id',
      none: 'absent',
      describe: 'Id of the principal that gave it.',
    },
    created_at: { sql: 'g.created_at', kind: 'instant' },
  },
  orders: byCreation('g'),
  filters: {
    principal: {
      kind: 'text',
      describe: 'Name or id of a principal: what it has itself.',
      where: (id) => ['g.principal_id = ?::uuid', id],
    },
    team: {
      kind: 'text',
      describe: 'Name or id of a team.',
      where: (id) => ['g.team_id = ?::uuid', id],
    },
  },
  where: ['g.removed_at is null'],
});
