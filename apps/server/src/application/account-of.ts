import { taskError, type AccountRef, type Brand, type TaskError } from '@switchyard/protocol';
import { resolveAccount, type DeclaredAccount, type TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandlerParts } from './handler.js';
import type { PrincipalCaller } from './task-call.js';

/** The account of a mutation. A new one is declared once the mutation was taken in, and not before. */
export interface AccountFound {
  readonly account: DeclaredAccount;
  readonly isNew: boolean;
}

/** The account a mutation is for: one that is declared, or that its first use declares (ruling 35). */
export async function accountOf(
  parts: HandlerParts,
  scope: TenantScope,
  principal: PrincipalCaller,
  request: unknown,
): Promise<Result<AccountFound | undefined, TaskError>> {
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
    return err(
      taskError(code, message, { field, suggestion: 'Name the account by its brand and operator.' }),
    );
  }
  if (found.value.kind === 'none') return ok(undefined);
  if (found.value.kind === 'known') return ok({ account: found.value.account, isNew: false });
  return ok({ account: { id: parts.ports.ids.uuid(), ...found.value.account }, isNew: true });
}
