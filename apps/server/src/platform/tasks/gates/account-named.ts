import { taskError, type AccountRef, type TaskError } from '@switchyard/protocol';
import {
  resolveAccount,
  type AccountRecord,
  type DeclaredAccount,
  type TenantScope,
} from '@switchyard/tenancy';
import type { HandlerDeps } from '../call/handler.js';

/** The caller's account that a read names. A read declares no account. */
export async function accountNamed(
  deps: Pick<HandlerDeps, 'domainOf'>,
  scope: TenantScope,
  requested: AccountRef,
  known: readonly AccountRecord[],
): Promise<DeclaredAccount | TaskError> {
  const organizationDomain = await deps.domainOf(scope);
  const found = resolveAccount({ requested, known, organizationDomain, declareOnFirstUse: false });
  if (found.ok && found.value.kind === 'known') return found.value.account;
  const message = found.ok ? 'You have no account with this id.' : found.error.message;
  return taskError('ACCOUNT_NOT_FOUND', message, { field: 'account' });
}
