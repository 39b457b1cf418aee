import { taskError, type AccountRef, type Brand, type TaskError } from '@switchyard/protocol';
import { resolveAccount, type DeclaredAccount, type TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandlerParts } from './handler.js';
import type { PrincipalCaller } from './task-call.js';

/** The account a mutation is for, declared by its first use where the profile says so (ruling 35). */
export async function accountOf(
  parts: HandlerParts,
  scope: TenantScope,
  principal: PrincipalCaller,
  request: unknown,
): Promise<Result<DeclaredAccount | undefined, TaskError>> {
  const { account: named, brand } = request as { readonly account?: AccountRef; readonly brand?: Brand };
  const found = resolveAccount({
    known: await parts.principals.accountsOf(scope, principal.principalId),
    organizationDomain: await parts.domainOf(scope),
    declareOnFirstUse: parts.declareOnFirstUse,
    ...(named === undefined ? {} : { named }),
    ...(brand === undefined ? {} : { brand }),
  });
  if (!found.ok) {
    const { code, message, field } = found.error;
    return err(taskError(code, message, { field }));
  }
  if (found.value.kind === 'none') return ok(undefined);
  if (found.value.kind === 'known') return ok(found.value.account);
  const { ids, clock } = parts.ports;
  const declared = { id: ids.uuid(), ...found.value.account };
  return ok(await parts.principals.declareAccount(scope, principal.principalId, declared, clock.now()));
}
