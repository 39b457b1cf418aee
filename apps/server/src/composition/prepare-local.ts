import { randomUUID } from 'node:crypto';
import type { Organizations } from '@switchyard/store';
import {
  allPermissions,
  type Principal,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { principalCaller } from '../tasks/caller/principal-caller.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { systemClock } from './clock.js';
import { operatorName } from './principal-admin.js';

/** The organization and the principal of whoever holds the data folder. */
export interface Local {
  readonly scope: TenantScope;
  readonly operator: PrincipalCaller;
}

/**
 * Makes the local organization and its operator on first start. The operator may do everything, and its tokens are
 * transitional and legacy (docs/protocol/signing.md#unsigned-changes). This organization is also the public one, until
 * another is configured.
 */
export async function prepareLocal(parts: {
  readonly organizations: Organizations;
  readonly principals: PrincipalDirectory;
}): Promise<Local> {
  const at = systemClock.now();
  const wanted = { slug: 'local', name: 'Local', domain: 'localhost', isPublic: true };
  const { id: organizationId } = await parts.organizations.ensure(wanted, at);
  const scope = { organizationId };
  const operator: Principal = {
    id: randomUUID(),
    organizationId,
    name: operatorName,
    kind: 'person',
    permissions: allPermissions,
    transitional: true,
    legacy: true,
  };
  const found = await parts.principals.findByName(scope, operator.name);
  if (found === undefined) await parts.principals.create(scope, operator, at);
  const known = found ?? (await parts.principals.findByName(scope, operator.name)) ?? operator;
  return {
    scope,
    operator: principalCaller(known),
  };
}
