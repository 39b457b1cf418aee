import type { BuysAsk } from '@switchyard/buys';
import { taskError, type AccountRef, type TaskError } from '@switchyard/protocol';
import { resolveAccount } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import type { HandledCall, HandlerParts } from '../handler.js';
import { readAskOf } from './read-ask.js';

/**
 * A question about the caller's own buys: of one of its accounts where it names one, because an agency asks for one client
 * at a time. A brand and operator that it never bought for have no buys; an id that we did not issue is not found
 * (docs/protocol/accounts.md#two-planes).
 */
export async function buysAskOf(
  parts: HandlerParts,
  handled: HandledCall<{ readonly account?: AccountRef }>,
): Promise<Result<BuysAsk, TaskError>> {
  const ask = readAskOf(handled);
  const { account: named } = handled.request;
  if (named === undefined) return ok(ask);
  const found = resolveAccount({
    named,
    known: await parts.principals.accountsOf(handled.scope, ask.principalId),
    organizationDomain: await parts.domainOf(handled.scope),
    declareOnFirstUse: true,
  });
  if (!found.ok) return err(taskError(found.error.code, found.error.message, { field: found.error.field }));
  if (found.value.kind === 'none') return ok(ask);
  const { brandDomain, brandId, operator } = found.value.account;
  return ok({ ...ask, account: { brandDomain, brandId, operator } });
}
