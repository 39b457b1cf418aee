import { subscriberOf, type BuyerRegistration } from '@switchyard/events';
import { listAccounts as task, type Account, type ListAccountsRequest } from '@switchyard/protocol';
import type { AccountRecord } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { accountNamed } from '../platform/tasks/gates/account-named.js';
import { readPage, writePage, type Walk } from '../platform/tasks/answer/page-cursor.js';
import { writeAnswer } from '../platform/tasks/answer/write-answer.js';

/**
 * The caller's own accounts with us. Our accounts at sellers are on the other plane, and never shown
 * (docs/protocol/accounts.md#two-planes).
 */
export async function listAccounts(
  deps: HandlerDeps,
  { scope, principal, request, version }: HandledCall<ListAccountsRequest>,
): Promise<Handled> {
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const { principalId } = principal;
  const { account: named, status, sandbox, cursor, maxResults } = request;
  const known = await deps.accounts.accounts(scope, principalId);
  const isMeant = named === undefined ? undefined : await accountNamed(deps, scope, named, known);
  if (isMeant !== undefined && 'code' in isMeant) return { kind: 'failed', errors: [isMeant] };
  const walk: Walk = { ...scope, principalId, task: task.name, question: { status, sandbox, named } };
  const begun = { offset: 0, asOf: deps.ports.clock.now() };
  const page = cursor === undefined ? { ok: true as const, value: begun } : readPage(cursor, walk);
  if (!page.ok) return { kind: 'failed', errors: [page.error] };
  const { offset, asOf } = page.value;
  const all = known
    .filter((account) => isMeant === undefined || account.id === isMeant.id)
    // As they were when the paging began: accounts opened or closed meanwhile move nothing between pages.
    .filter(
      (account) =>
        account.createdAt <= asOf && (status ?? statusAt(account, asOf)) === statusAt(account, asOf),
    )
    .filter((account) => (sandbox ?? account.isSandbox) === account.isSandbox);
  const next = offset + maxResults;
  const more = next < all.length ? { cursor: writePage({ offset: next, asOf }, walk) } : {};
  const told = (await deps.subscriptions?.store.of(scope, principalId)) ?? [];
  const shown = all.slice(offset, next).map((account) => viewOf(account, told));
  const answer = { accounts: shown, total: all.length, ...more };
  return { kind: 'done', status: 'completed', payload: writeAnswer(task, answer, version.profile) };
}

function statusAt({ closedAt, hold }: AccountRecord, asOf: Instant): Account['status'] {
  return closedAt === undefined || closedAt > asOf ? (hold ?? 'active') : 'closed';
}

function viewOf(record: AccountRecord, told: readonly BuyerRegistration[]): Account {
  const { id, brandDomain, brandId, operator, isSandbox, closedAt, hold } = record;
  const status = closedAt === undefined ? (hold ?? 'active') : 'closed';
  const subscribers = told.filter(({ accountId }) => accountId === id).map(subscriberOf);
  return {
    ...{ accountId: id, brandDomain, brandId, operator, isSandbox, status, billing: 'operator' },
    ...(subscribers.length === 0 ? {} : { subscribers }),
  };
}
