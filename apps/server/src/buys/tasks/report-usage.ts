import { isSettled, reportUsage as report, usageAnswer, type NamedUsage } from '@switchyard/buys';
import {
  reportUsage as task,
  taskError,
  type ReportUsageRequest,
  type TaskError,
  type UsageRecord,
} from '@switchyard/protocol';
import { resolveAccount, type DeclaredAccount } from '@switchyard/tenancy';
import { allSettled } from './all-settled.js';
import { awaitDuplicate } from '../../platform/tasks/operation/await-duplicate.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { storedAnswer, readStoredAnswer } from '../../platform/tasks/answer/stored-answer.js';
import { legRows } from '../../platform/tasks/answer/leg-rows.js';
import { mutationOf } from '../../platform/tasks/operation/mutation.js';
import { authorizeBy, type BrandActedFor } from '../../platform/tasks/gates/operator-check.js';
import { withFindings } from '../../platform/tasks/answer/extend-answer.js';
import { writeAnswer } from '../../platform/tasks/answer/write-answer.js';

/** Reports usage to vendors: per record, accepted or refused with the reason (docs/protocol/accounts.md#usage). */
export async function reportUsage(
  deps: HandlerDeps,
  handled: HandledCall<ReportUsageRequest>,
): Promise<Handled> {
  const { request, principal, scope, version } = handled;
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const known = await deps.principals.accountsOf(scope, principal.principalId);
  const operator = await deps.domainOf(scope);
  const found = request.records.map((record, at) => accountOf(record, at, known, operator));
  const named = found.flatMap((record) => ('code' in record ? [] : [record]));
  const mutation = {
    ...mutationOf(deps, handled),
    ...authorizeBy(deps, handled, brandsOf(named)),
    records: named,
    errors: found.flatMap((record) => ('code' in record ? [record] : [])),
    operator,
  };
  const done = await report({ ...deps.ports, billing: deps.billing, creatives: deps.creatives }, mutation);
  if (!done.ok) return { kind: 'failed', errors: done.error };
  if (done.value.kind === 'none') {
    const payload = writeAnswer(task, { accepted: 0, errors: done.value.errors }, version.profile);
    return { kind: 'done', status: 'completed', payload };
  }
  const { replayed } = done.value;
  const { state, busy } = replayed
    ? await awaitDuplicate(deps, scope, done.value.state, allSettled)
    : { state: done.value.state };
  if (busy !== undefined && !state.legs.some(isSettled)) return { kind: 'failed', errors: [busy] };
  const { operation } = state;
  const before = replayed ? readStoredAnswer(operation.answer) : undefined;
  if (before !== undefined) return { ...before, operationId: operation.id, replayed: true };
  const answer = {
    kind: 'done' as const,
    status: 'completed' as const,
    payload: withFindings(writeAnswer(task, usageAnswer(state), version.profile), state, version.profile),
    operationId: operation.id,
    sellers: legRows(state),
  };
  // While a vendor has not answered, a repetition with the same key may return more. If no vendor accepted the report,
  // its key is free: a corrected report may use it.
  const isOver = allSettled(state) && operation.status === 'completed';
  if (isOver)
    await deps.ports.store.saveAnswer(scope, operation.id, storedAnswer(answer), deps.ports.clock.now());
  return replayed ? { ...answer, replayed: true } : answer;
}

/** Each brand once, at its first record. */
function brandsOf(named: readonly NamedUsage[]): readonly BrandActedFor[] {
  const brands = new Map<string, BrandActedFor>();
  for (const { at, account } of named) {
    const { brandDomain, brandId } = account;
    const key = `${brandDomain} ${brandId}`;
    if (!brands.has(key)) brands.set(key, { brandDomain, brandId, field: `usage[${at}].account` });
  }
  return [...brands.values()];
}

/** The account of one record: one of the caller's own. Usage declares no account. */
function accountOf(
  record: UsageRecord,
  at: number,
  known: readonly DeclaredAccount[],
  organizationDomain: string,
): NamedUsage | TaskError {
  const found = resolveAccount({
    requested: record.account,
    known,
    organizationDomain,
    declareOnFirstUse: false,
  });
  if (found.ok && found.value.kind === 'known') return { at, record, account: found.value.account };
  const code = found.ok ? 'ACCOUNT_NOT_FOUND' : found.error.code;
  const message = found.ok ? 'You have no account with this id.' : found.error.message;
  return taskError(code, message, { field: `usage[${at}].account` });
}
