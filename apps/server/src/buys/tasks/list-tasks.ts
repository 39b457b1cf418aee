import { canLast, type TaskPlace } from '@switchyard/buys';
import { listTasks as task, tasks, type ListTasksRequest } from '@switchyard/protocol';
import { ok } from '@switchyard/values';
import { reachOfWork } from '../../platform/tasks/gates/reach-of-task.js';
import { accountNamed } from '../../platform/tasks/gates/account-named.js';
import type { Handled, HandledCall, HandlerDeps } from '../../platform/tasks/call/handler.js';
import { maySeeTask } from './may-see-task.js';
import { readPage, writePage, type Page, type Walk } from '../../platform/tasks/answer/page-cursor.js';
import { taskHistory } from './task-history.js';
import { protocolOf, taskSummary } from './task-summary.js';
import { writeAnswer } from '../../platform/tasks/answer/write-answer.js';

/** Tasks that may continue after their answer: all others have no task to list. */
const lasting = tasks.map((spec) => spec.name).filter(canLast);

/** The tasks that the caller started, and those of colleagues that its grants reach. */
export async function listTasks(
  deps: HandlerDeps,
  { scope, principal, request, version }: HandledCall<ListTasksRequest>,
): Promise<Handled> {
  if (principal === undefined) throw new Error(`${task.name} needs a principal.`);
  const { ports, taskLog } = deps;
  const { filters, sort, maxResults, cursor, account: named } = request;
  const accounts = named === undefined ? [] : await deps.accounts.accounts(scope, principal.principalId);
  const account = named === undefined ? undefined : await accountNamed(deps, scope, named, accounts);
  if (account !== undefined && 'code' in account) return { kind: 'failed', errors: [account] };
  const walk: Walk = {
    ...scope,
    principalId: principal.principalId,
    task: task.name,
    question: { filters, sort, account: account?.id },
  };
  const begun: Page = { offset: request.offset ?? 0, asOf: ports.clock.now() };
  const page = cursor === undefined ? ok(begun) : readPage(cursor, walk);
  if (!page.ok) return { kind: 'failed', errors: [page.error] };
  const { offset, asOf, after, by } = page.value;
  // A place stays valid when items before it leave the list; an offset does not, and is for callers without a cursor.
  const from =
    after === undefined || by === undefined
      ? { offset }
      : { offset: 0, after: { value: by[0], createdAt: by[1], id: after } };
  const { protocols, taskTypes, ...stored } = filters;
  const wanted = lasting.filter(
    (name) =>
      maySeeTask(principal, name) &&
      (taskTypes?.includes(name) ?? true) &&
      (protocols?.includes(protocolOf(name)) ?? true),
  );
  const query = {
    tasks: wanted.map((name) => ({ names: [name], reach: reachOfWork(principal, name) })),
    filters: stored,
    sort,
    asOf,
    ...(account && { account }),
  };
  const found = await taskLog.find(scope, { ...query, ...from, limit: maxResults });
  const byProtocol: Record<string, number> = {};
  const byStatus: Record<string, number> = {};
  for (const { status, task: name, count } of found.counts) {
    byStatus[status] = (byStatus[status] ?? 0) + count;
    byProtocol[protocolOf(name)] = (byProtocol[protocolOf(name)] ?? 0) + count;
  }
  const total = found.counts.reduce((sum, { count }) => sum + count, 0);
  const { next } = found;
  const payload = writeAnswer(
    task,
    {
      tasks: found.items.map(({ operation, hasWebhook }) =>
        taskSummary(operation, hasWebhook, request.includeHistory ? taskHistory(operation) : undefined),
      ),
      total,
      byProtocol,
      byStatus,
      sort,
      limit: maxResults,
      offset,
      hasMore: next !== undefined,
      ...(next && {
        cursor: writePage({ offset: offset + found.items.length, asOf, ...placeIn(next) }, walk),
      }),
    },
    version.profile,
  );
  return { kind: 'done', status: 'completed', payload };
}

function placeIn({ value, createdAt, id }: TaskPlace): Pick<Page, 'after' | 'by'> {
  return { after: id, by: [value, createdAt] };
}
