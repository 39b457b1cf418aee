import type { CustodyAdmin, DelegationsAdmin } from '@switchyard/server';
import { err, ok } from '@switchyard/values';

const none = { code: 'NOT_FOUND', message: 'Nothing is relayed here.' } as const;

/** Nobody may relay anything yet, and whatever is granted is made. */
export const specDelegations: DelegationsAdmin = {
  grant: (_caller, { principalId }) => Promise.resolve(ok({ delegation_id: `of ${principalId}` })),
  list: () => Promise.resolve(ok([])),
  revoke: () => Promise.resolve(err(none)),
  address: () => Promise.resolve(err(none)),
};

/** No record yet, and a chain that is empty. */
export const specCustody: CustodyAdmin = {
  list: () => Promise.resolve(ok([])),
  show: () => Promise.resolve(err(none)),
  export: () => Promise.resolve(err(none)),
  verify: () => Promise.resolve(ok({ ok: true, records: 0, head: null })),
};
