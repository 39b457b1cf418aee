import { custodyExport, verifyCustody, type RelayedRow, type RelayLog } from '@switchyard/relay';
import type { ChainEvidence, NameReader, RowNames, SenderKeys, StoredMessage } from '@switchyard/store';
import { seesSellers, type PrincipalDirectory, type TenantScope } from '@switchyard/tenancy';
import {
  defined,
  err,
  isJsonObject,
  isoOf,
  isUuid,
  ok,
  type JsonObject,
  type Result,
} from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../../platform/jobs/request-job.js';
import type { JobStarter } from '../../platform/jobs/start-job.js';
import { streamUntil, type StreamHead } from '@switchyard/journal';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { existingPrincipalInReach } from '../delegations/principal-in-reach.js';
import { rowMembers, whoseOfRow } from '../../business/index.js';
import { senderKeyView } from '../../keys/index.js';
import {
  chainDocument,
  instant,
  jsonObject,
  limitUpTo,
  nameOrId,
  notSigned,
} from '../../platform/routes/fields.js';
import {
  objectFilter,
  objectQuery,
  organizationWide,
  reachFilter,
  sortQuery,
  timeFilter,
  timeQuery,
} from '../../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../../platform/routes/list-page.js';
import { routesOn, WrittenAnswer } from '../../platform/routes/route.js';

export interface CustodyDeps {
  readonly jobStarter: JobStarter;
  /** The chains of custody. */
  readonly log: RelayLog;
  /** Signs the head of a chain, with what an export has beside it. */
  readonly anchors: {
    readonly beside: (
      scope: TenantScope,
      head: StreamHead,
      more: JsonObject,
    ) => Promise<Result<JsonObject, unknown>>;
  };
  readonly chainEvidence: ChainEvidence;
  /** A message of a seller about an operation of the principal, as the caller may see it. */
  readonly messageOfChain: (message: StoredMessage, caller: PrincipalCaller, principalId: string) => object;
  readonly senderKeys: Pick<SenderKeys, 'list'>;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'list'>;
  readonly names: Pick<NameReader, 'ofRows'>;
}

/** The summary of a relayed request. */
const record = z.strictObject({
  record_id: z.string(),
  principal_id: z.string(),
  seller: z.string(),
  way: z.string(),
  task: z.string().nullable(),
  outcome: z.string().nullable(),
  code: z.string().nullable(),
  delegation_id: z.string().nullable(),
  operation_id: z.string().nullable(),
  body_hash: z.string().nullable().describe('null where the body was refused unread.'),
  arrived_at: instant,
  ended_at: instant.nullable(),
  in_chain: z.boolean(),
  ...rowMembers,
});

const verdict = z.strictObject({
  ok: z.boolean(),
  records: z.int(),
  head: z.string().nullable().describe('null where there are several chains, or none.'),
  code: z.string().exactOptional(),
  block: z.string().exactOptional(),
  record: z.string().nullable().exactOptional(),
});
type Verdict = z.output<typeof verdict>;

const ofPrincipal = z.strictObject({ principal_id: nameOrId.exactOptional() });

const route = routesOn<CustodyDeps>();

/** The chains of custody: what was relayed, and in whose name. A principal reads its own chain; an admin reads all. */
export const custodyRoutes = withJobs([
  route({
    method: 'get',
    path: '/v1/custody',
    id: 'list_custody',
    summary: 'Relayed requests, refused ones included, newest first',
    needs: 'delegations.read',
    query: z.strictObject({
      principal_id: nameOrId.exactOptional(),
      seller: nameOrId.exactOptional(),
      outcome: z.enum(['refused', 'unreachable', 'unknown', 'answered']).exactOptional(),
      ...objectQuery,
      ...timeQuery,
      ...sortQuery,
      ...pageQuery,
      limit: limitUpTo(9999).exactOptional().describe('Rows of a page, 100 unless set.'),
    }),
    answer: z.strictObject({ records: z.array(record), next_cursor: nextCursor }),
    handle: async (deps, { caller, query }) => {
      const { principal_id: principalId, seller, outcome, sort } = query;
      const of =
        principalId === undefined ? ok(undefined) : await existingPrincipalInReach(deps, caller, principalId);
      if (!of.ok) return of;
      const filter = {
        ...reachFilter(caller, 'delegations', 'read'),
        ...objectFilter(query),
        ...timeFilter(query),
        ...defined({ principalId: of.value, seller, outcome, sort }),
      };
      const page = await listPage(
        { id: 'list_custody', caller, query },
        (read) => deps.log.list(scopeOf(caller), { ...filter, ...read }),
        ({ arrivedAt, id }) => [arrivedAt, id],
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      const names = await deps.names.ofRows(scopeOf(caller), rows);
      return ok({ records: rows.map((row) => viewOf(row, names)), ...next });
    },
  }),
  route({
    method: 'get',
    path: '/v1/custody/{id}',
    id: 'show_custody',
    summary: 'One record as the chain of custody holds it',
    needs: 'delegations.read',
    answer: z.strictObject({
      record: jsonObject.describe('The members of the text that was hashed.'),
      hash: z.string(),
      block: z.string().describe('Number of the block that contains it.'),
      ...rowMembers,
    }),
    handle: async ({ log, names }, { caller, params: { id } }) => {
      const found = isUuid(id)
        ? await log.show(scopeOf(caller), id, reachFilter(caller, 'delegations', 'read'))
        : undefined;
      if (found === undefined)
        return err({ code: 'NOT_FOUND', message: 'There is no such record in the chain.' });
      const { operationId, seller } = found.record;
      const row = {
        ...(typeof operationId === 'string' && { operationId }),
        ...(typeof seller === 'string' && { seller }),
      };
      const whose = whoseOfRow(row, await names.ofRows(scopeOf(caller), [row]));
      const isNamed = seesSellers(caller) || found.record['principalId'] === caller.principalId;
      const record = isNamed ? found.record : withoutAddress(found.record);
      return ok({ record, hash: found.hash, block: found.block, ...whose });
    },
  }),
  route({
    method: 'get',
    path: '/v1/custody/export',
    id: 'export_custody',
    summary: 'A whole chain as one document that can be verified offline, with what sellers signed about it',
    needs: 'delegations.read',
    query: ofPrincipal,
    answer: chainDocument,
    inParts: true,
    asJob: { title: 'Export of a chain of custody' },
    handle: async (deps, { caller, query }) => {
      const of = await oneChain(deps, caller, query.principal_id);
      if (!of.ok) return of;
      // The chain of another principal says where sellers are.
      const refused =
        of.value === caller.principalId ? undefined : organizationWide(caller, 'sellers', 'read');
      if (refused !== undefined) return err(refused);
      const principalId = of.value;
      const { log, anchors, senderKeys, chainEvidence, messageOfChain } = deps;
      const scope = scopeOf(caller);
      const head = await log.chain(scope, of.value, (stream) => Promise.resolve(stream.head));
      const keys = await senderKeys.list(scope, of.value);
      const beside = await anchors.beside(scope, head, { keys: keys.map(senderKeyView) });
      if (!beside.ok) return err(notSigned);
      return ok(
        new WrittenAnswer((write) =>
          chainEvidence.read(scope, of.value, async (stream, stored) => {
            async function* messages(): AsyncGenerator<object> {
              for await (const message of stored) yield messageOfChain(message, caller, principalId);
            }
            const chain = { ...streamUntil(stream, head), beside: beside.value, messages: messages() };
            for await (const part of custodyExport(chain)) await write(part);
          }),
        ),
      );
    },
  }),
  route({
    method: 'get',
    path: '/v1/custody/verify',
    id: 'verify_custody',
    summary: 'Verify a chain of custody',
    needs: 'delegations.read',
    query: ofPrincipal,
    answer: z.strictObject({
      ...verdict.shape,
      chains: z
        .array(z.strictObject({ principal_id: z.string(), ...verdict.shape }))
        .exactOptional()
        .describe('Each of them, where there is not exactly one.'),
    }),
    example: { ok: true, records: 0, head: null, chains: [] },
    asJob: { title: 'Verification of chains of custody' },
    handle: async (deps, { caller, query }) => {
      const of = await existingPrincipalInReach(deps, caller, query.principal_id);
      if (!of.ok) return of;
      const scope = scopeOf(caller);
      const ids = of.value === undefined ? await principalsWithRecords(deps, scope) : [of.value];
      const chains: (Verdict & { readonly principal_id: string })[] = [];
      for (const id of ids) chains.push({ principal_id: id, ...(await verified(deps.log, scope, id)) });
      const [only, another] = chains;
      if (only !== undefined && another === undefined) {
        const { principal_id: _theOnlyOne, ...alone } = only;
        return ok(alone);
      }
      return ok({
        ok: chains.every((chain) => chain.ok),
        records: chains.reduce((sum, { records }) => sum + records, 0),
        // Each chain has its own head; several chains have none in common.
        head: null,
        chains,
      });
    },
  }),
]);

/** A colleague's record without where it was sent. Its own records prove that to a principal. */
function withoutAddress({ arrived, forwarded, ...record }: JsonObject): JsonObject {
  const { steps: _seen, ...received } = isJsonObject(arrived) ? arrived : {};
  const { to: _address, ...sent } = isJsonObject(forwarded) ? forwarded : {};
  return { ...record, arrived: received, ...(forwarded !== undefined && { forwarded: sent }) };
}

async function verified(log: RelayLog, scope: TenantScope, principalId: string): Promise<Verdict> {
  const { verdict, head } = await log.chain(scope, principalId, async (stream) => ({
    verdict: await verifyCustody(stream),
    head: stream.head,
  }));
  const records = Number(verdict.ok ? verdict.entries : head.entryTotal);
  const fault = verdict.ok
    ? {}
    : { code: verdict.code, block: verdict.at.number.toString(), record: verdict.record ?? null };
  return { ok: verdict.ok, records, head: head.hash, ...fault };
}

/** An export holds one chain, so that it can be verified alone. If an admin names none, the only chain is exported. */
async function oneChain(
  deps: CustodyDeps,
  caller: PrincipalCaller,
  principalId: string | undefined,
): Promise<Result<string, AdminFailure>> {
  const of = await existingPrincipalInReach(deps, caller, principalId);
  if (!of.ok) return of;
  if (of.value !== undefined) return ok(of.value);
  const [only, another] = await principalsWithRecords(deps, scopeOf(caller));
  if (another === undefined) return ok(only ?? caller.principalId);
  return err({
    code: 'INVALID_REQUEST',
    message: 'There are several chains: name the principal.',
    field: 'principal_id',
    suggestion: 'Give --principal ID.',
  });
}

async function principalsWithRecords(
  { log, principals }: CustodyDeps,
  scope: TenantScope,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { id } of await principals.list(scope)) {
    const rows = await log.list(scope, { principalId: id, limit: 1 });
    if (rows.length > 0) found.push(id);
  }
  return found;
}

function viewOf(row: RelayedRow, names: RowNames) {
  return {
    record_id: row.id,
    principal_id: row.principalId,
    seller: row.seller,
    way: row.way,
    task: row.task ?? null,
    outcome: row.outcome ?? null,
    code: row.code ?? null,
    delegation_id: row.delegationId ?? null,
    operation_id: row.operationId ?? null,
    // A body that was refused unread has no hash.
    body_hash: row.bodyHash === '' ? null : row.bodyHash,
    arrived_at: isoOf(row.arrivedAt),
    ended_at: row.endedAt === undefined ? null : isoOf(row.endedAt),
    in_chain: row.inChain,
    ...whoseOfRow(row, names),
  };
}
