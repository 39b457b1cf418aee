import { list } from '../core/list.js';
import { byCreation } from '../core/list-statement.js';

/** Agents that sign as principals. */
export const signerList = list({
  from: 'principal_signer s join principal p on p.id = s.principal_id',
  id: 'signer_id',
  fields: {
    signer_id: { sql: 's.id', kind: 'id' },
    principal: { sql: 'p.name', kind: 'text', filter: 'eq' },
    agent_url: { sql: 's.agent_url', kind: 'text' },
    jwks_uri: {
      sql: 'coalesce(s.jwks_uri, s.found_jwks_uri)',
      kind: 'text',
      none: 'absent',
      describe: 'As it was registered, or of one whose keys are discovered the set that was found first.',
    },
    discovered_over: { sql: 's.agent_protocol', kind: ['mcp', 'a2a'], none: 'absent' },
    kids: {
      sql: "jsonb_path_query_array(s.jwks, '$.keys[*].kid')",
      kind: 'json',
      none: 'absent',
      describe: 'Of a key set that was handed in.',
    },
    dialect: { sql: 's.dialect', kind: ['ads', 'adcp'] },
    allows_rsa_pss: { sql: 's.allows_rsa_pss', kind: 'flag' },
    created_at: { sql: 's.created_at', kind: 'instant' },
  },
  orders: byCreation('s'),
  where: ['s.removed_at is null'],
});
