import type { Principal } from '@switchyard/tenancy';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** A principal as a caller. */
export function principalCaller(principal: Principal): Omit<PrincipalCaller, 'signedBy'> {
  return {
    kind: 'principal',
    organizationId: principal.organizationId,
    principalId: principal.id,
    name: principal.name,
    principalKind: principal.kind,
    permissions: principal.permissions,
    ...(principal.grants === undefined ? {} : { grants: principal.grants }),
    ...(principal.isNarrowedOperator === true && { isNarrowedOperator: true }),
    ...(principal.brandDomain === undefined ? {} : { brandDomain: principal.brandDomain }),
    ...(principal.program === undefined ? {} : { program: principal.program }),
    transitional: principal.transitional,
    legacy: principal.legacy,
  };
}
