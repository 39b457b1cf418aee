import { taskError, type AccountRef, type Brand, type TaskError } from '@switchyard/protocol';
import { accountGate, resolveAccount, type DeclaredAccount, type TenantScope } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandlerParts } from './handler.js';
import type { PrincipalCaller } from './task-call.js';

/** The account of a mutation. A new one is declared once the mutation was taken in, and not before. */
export interface AccountFound {
  readonly account: DeclaredAccount;
  readonly isNew: boolean;
}

/**
 * The account a mutation is for: one that is declared, or that its first use declares (ruling 35), and that lets the task
 * through as it stands (tasks 3.16).
 */
export async function accountOf(
  parts: HandlerParts,
  scope: TenantScope,
  principal: PrincipalCaller,
  task: string,
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
  if (found.value.kind === 'known') {
    const held = heldBack(task, found.value.account);
    return held === undefined ? ok({ account: found.value.account, isNew: false }) : err(held);
  }
  return ok({ account: { id: parts.ports.ids.uuid(), ...found.value.account }, isNew: true });
}

/**
 * What keeps a question from the account that it names. One that names none, or one that nobody knows, is about the
 * caller's own things alone, and they are what their account says of each of them.
 */
export async function accountAskedOf(
  parts: HandlerParts,
  scope: TenantScope,
  principal: PrincipalCaller,
  task: string,
  request: unknown,
): Promise<TaskError | undefined> {
  const { account: named } = request as { readonly account?: AccountRef };
  if (named === undefined) return undefined;
  const found = resolveAccount({
    named,
    known: await parts.principals.accountsOf(scope, principal.principalId),
    organizationDomain: await parts.domainOf(scope),
    declareOnFirstUse: true,
  });
  return found.ok && found.value.kind === 'known' ? heldBack(task, found.value.account) : undefined;
}

function heldBack(task: string, { hold }: Pick<DeclaredAccount, 'hold'>): TaskError | undefined {
  const held = accountGate(task, hold ?? 'active');
  if (held === undefined) return undefined;
  const suggestion = 'Ask whoever runs this agent, or name another account.';
  return taskError(held.code, held.message, { field: 'account', suggestion });
}
