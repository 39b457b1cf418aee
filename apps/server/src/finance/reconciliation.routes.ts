import { reachOf, type PrincipalDirectory } from '@switchyard/tenancy';
import { breakPlace, type StoredBreak } from '@switchyard/store';
import { defined, err, isoOf, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, nameOrId, period, reasonText } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';
import { breakResolution, breakState, breakView, foundBreak } from './break-view.js';
import { noBreak } from './no-break.js';
import {
  reconciliationJob,
  reconciliationRun,
  runReconciliation,
  type RunDeps,
} from './run-reconciliation.js';

const detail = z.strictObject({
  ...foundBreak.shape,
  comments: z.array(z.strictObject({ by: z.string(), text: z.string(), at: instant })),
});

interface ReconciliationDeps extends RunDeps {
  readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'>;
  readonly jobStarter: JobStarter;
}

const route = routesOn<ReconciliationDeps>();

/** Compares what was ordered, delivered and invoiced, and stores the decision about each difference. */
export const reconciliationRoutes = [
  route({
    method: 'post',
    path: '/v1/reconciliations',
    id: 'reconcile',
    summary: 'Compare what was ordered, delivered and invoiced in one period',
    needs: 'ledger.write',
    mayStartJob: true,
    query: z.strictObject({
      respond: z.literal('async').exactOptional().describe('async: answer 202 with a job, which does it.'),
    }),
    body: reconciliationRun,
    answer: z.strictObject({ matched: z.int(), breaks: z.array(foundBreak) }),
    example: { matched: 12, breaks: [] },
    handle: (deps, { caller, query, body }) =>
      query.respond === 'async'
        ? deps.jobStarter.start(reconciliationJob, caller, { input: body })
        : runReconciliation(deps, caller, body),
  }),
  route({
    method: 'get',
    path: '/v1/breaks',
    id: 'list_breaks',
    summary: 'Differences',
    needs: 'ledger.read',
    query: z.strictObject({
      ...sortQuery,
      ...pageQuery,
      period: period.exactOptional(),
      seller: nameOrId.exactOptional(),
      state: breakState.exactOptional(),
    }),
    answer: z.strictObject({ breaks: z.array(foundBreak), next_cursor: nextCursor }),
    handle: async ({ breaks, clock }, { caller, query }) => {
      const { period: month, seller, state: wanted } = query;
      const filter = {
        reach: reachOf(caller, 'ledger', 'read'),
        ...defined({ period: month, seller, state: wanted, sort: query.sort }),
      };
      const page = await listPage(
        { id: 'list_breaks', caller, query },
        (part) => breaks.list(caller, { ...filter, ...part }),
        breakPlace,
      );
      if (!page.ok) return page;
      return ok({ breaks: page.value.rows.map((row) => breakView(row, clock.now())), ...page.value.next });
    },
  }),
  route({
    method: 'get',
    path: '/v1/breaks/{id}',
    id: 'show_break',
    summary: 'One difference with its comments',
    needs: 'ledger.read',
    answer: detail,
    handle: (deps, { caller, params: { id } }) => showBreak(deps, caller, id),
  }),
  route({
    method: 'post',
    path: '/v1/breaks/{id}/assign',
    id: 'assign_break',
    summary: 'Assign an open difference to a principal',
    needs: 'ledger.write',
    body: z.strictObject({ owner: nameOrId }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { owner } }) => {
      const found = await writable(deps, caller, id);
      if (!found.ok) return found;
      const { principals, breaks } = deps;
      const principal = isUuid(owner)
        ? await principals.find(caller, owner)
        : await principals.findByName(caller, owner);
      if (principal === undefined || !(await breaks.assign(caller, id, principal.id)))
        return err({
          code: 'NOT_FOUND',
          message: 'The difference is no longer open, or no principal has this name.',
          field: 'owner',
        });
      return showBreak(deps, caller, id);
    },
  }),
  route({
    method: 'post',
    path: '/v1/breaks/{id}/comment',
    id: 'comment_break',
    summary: 'Add a comment to a difference',
    needs: 'ledger.write',
    body: z.strictObject({ text: reasonText }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { text } }) => {
      const found = await writable(deps, caller, id);
      if (!found.ok) return found;
      await deps.breaks.comment(caller, id, { by: caller.principalId, text, at: deps.clock.now() });
      return showBreak(deps, caller, id);
    },
  }),
  route({
    method: 'post',
    path: '/v1/breaks/{id}/resolve',
    id: 'resolve_break',
    summary: 'Resolve an open difference, with an entry in the ledger; dispute opens a case',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({ as: breakResolution, reason: reasonText.exactOptional() }),
    answer: detail,
    handle: async (deps, { caller, params: { id }, body: { as, reason } }) => {
      const found = await writable(deps, caller, id);
      if (!found.ok) return found;
      const by = { id, as, by: caller.principalId, ...(reason !== undefined && { reason }) };
      if (await deps.breaks.resolve(caller, by, deps.clock.now())) return showBreak(deps, caller, id);
      return err({ code: 'CONFLICT', message: 'The difference is no longer open.', field: 'id' });
    },
  }),
];

async function writable(
  { breaks }: ReconciliationDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<StoredBreak, AdminFailure>> {
  const reach = reachOf(caller, 'ledger', 'write');
  const [found] = isUuid(id) ? await breaks.list(caller, { reach, id, limit: 1 }) : [];
  return found === undefined ? err(noBreak) : ok(found);
}

async function showBreak(
  { breaks, clock }: ReconciliationDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<z.output<typeof detail>, AdminFailure>> {
  const reach = reachOf(caller, 'ledger', 'read');
  const [found] = isUuid(id) ? await breaks.list(caller, { reach, id, limit: 1 }) : [];
  if (found === undefined) return err(noBreak);
  const comments = await breaks.comments(caller, id);
  return ok({
    ...breakView(found, clock.now()),
    comments: comments.map(({ by, text, at }) => ({ by, text, at: isoOf(at) })),
  });
}
