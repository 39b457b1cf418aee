import { listCreatives as list, type BuyerAccount } from '@switchyard/buys';
import { listCreatives as task, type AccountRef, type ListCreativesRequest } from '@switchyard/protocol';
import { resolveAccount } from '@switchyard/tenancy';
import { reachOfTask } from '../platform/tasks/gates/reach-of-task.js';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { writeAnswer } from '../platform/tasks/answer/write-answer.js';

export async function listCreatives(
  deps: HandlerDeps,
  call: HandledCall<ListCreativesRequest>,
): Promise<Handled> {
  const { scope, principal, request, version } = call;
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const { principalId } = principal;
  const accounts = await ownAccounts(deps, call, request.filters.accounts ?? []);
  const ports = { creatives: deps.creatives, clock: deps.ports.clock };
  const read = await list(
    ports,
    { ...scope, principalId, reach: reachOfTask(principal, call.spec), accounts },
    request,
  );
  if (!read.ok) return { kind: 'failed', errors: read.error };
  return { kind: 'done', status: 'completed', payload: writeAnswer(task, read.value, version.profile) };
}

/** The caller's own accounts among these. The others are ignored: they have no creatives here. */
async function ownAccounts(
  { principals, domainOf }: HandlerDeps,
  { scope, principal }: HandledCall<ListCreativesRequest>,
  refs: readonly AccountRef[],
): Promise<readonly BuyerAccount[]> {
  if (principal === undefined || refs.length === 0) return [];
  const known = await principals.accountsOf(scope, principal.principalId);
  const organizationDomain = await domainOf(scope);
  return refs.flatMap((requested) => {
    const found = resolveAccount({ requested, known, organizationDomain, declareOnFirstUse: false });
    return found.ok && found.value.kind === 'known' ? [found.value.account] : [];
  });
}
