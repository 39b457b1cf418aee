import { list } from '../core/list.js';
import { byTime } from '../core/list-statement.js';

/** Invitations. Whoever manages a part of the organization is shown its own. */
export const invitationList = list({
  from: 'invitation i',
  id: 'invitation_id',
  fields: {
    invitation_id: { sql: 'i.id', kind: 'id' },
    email: { sql: 'i.email', kind: 'text' },
    role: { sql: 'i.role', kind: 'text' },
    scope: {
      sql: `i.scope_kind || case i.scope_id when '' then '' else ':' || i.scope_id end`,
      kind: 'text',
    },
    state: {
      sql: `case when i.accepted_at is not null then 'accepted' when i.withdrawn_at is not null then 'withdrawn'
        when i.expires_at <= :now then 'expired' else 'open' end`,
      kind: ['open', 'accepted', 'withdrawn', 'expired'],
    },
    created_at: { sql: 'i.created_at', kind: 'instant' },
    expires_at: { sql: 'i.expires_at', kind: 'instant' },
    principal_id: {
      sql: 'i.principal_id',
      kind: 'id',
      none: 'absent',
      describe: 'Whom it has become.',
    },
  },
  orders: {
    newest: byTime('i.created_at', { column: 'i.id', isDescending: true }),
    oldest: byTime('i.created_at', { column: 'i.id', isDescending: true }, 'oldest'),
  },
  filters: {
    open: {
      kind: 'flag',
      where: (open) => [
        '(i.withdrawn_at is null and i.accepted_at is null and i.expires_at > :now) = ?::boolean',
        open,
      ],
    },
  },
  reach: (_reach, asker) => ['i.invited_by = ?', asker],
});
