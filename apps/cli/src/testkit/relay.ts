import { ok } from '@switchyard/values';
import type { SpecAnswers } from './run-route.js';

/** Nobody may relay anything yet, whatever is granted is made, and the chain of custody is empty. */
export const specRelay: SpecAnswers = {
  grant_delegation: ({ body }) =>
    ok({ delegation_id: `of ${(body as { readonly principal_id: string }).principal_id}` }),
  list_delegations: () => ok({ delegations: [] }),
  list_custody: () => ok({ records: [] }),
  verify_custody: () => ok({ ok: true, records: 0, head: null }),
};
