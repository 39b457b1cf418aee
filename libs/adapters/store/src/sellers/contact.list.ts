import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Whom people reach at sellers. Everybody who sees the sellers sees them. */
export const contactList = list({
  from: `seller_contact s
    join connection c on c.organization_id = s.organization_id and c.id = s.connection_id
    left join principal p on p.organization_id = s.organization_id and p.id = s.set_by`,
  id: 'contact_id',
  fields: {
    contact_id: { sql: 's.id', kind: 'id' },
    seller: { sql: 'c.slug', kind: 'text' },
    purpose: { sql: 's.purpose', kind: ['sales', 'billing', 'technical', 'other'], filter: 'eq' },
    name: { sql: 's.name', kind: 'text', none: 'absent', describe: 'Absent: an address that people share.' },
    email: { sql: 's.email', kind: 'text', none: 'absent' },
    phone: { sql: 's.phone', kind: 'text', none: 'absent' },
    set_by: { sql: 'p.name', kind: 'text', none: 'absent', describe: 'Who entered or changed it last.' },
    created_at: { sql: 's.created_at', kind: 'instant' },
    changed_at: { sql: 's.changed_at', kind: 'instant', none: 'absent' },
  },
  orders: byCreation('s'),
  filters: { seller: { kind: 'text', where: (connectionId) => ['s.connection_id = ?::uuid', connectionId] } },
});
