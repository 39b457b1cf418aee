import {
  type CustodyFilter,
  type CustodyRecord,
  type Ended,
  type RelayedRow,
  type RelayLog,
  custodyEntry,
  custodyStream,
  type ResignedLeg,
} from '@switchyard/relay';
import { isoOf, type JsonObject } from '@switchyard/values';
import { lockOperations, type ChangeOptions } from '../buys/change-state.js';
import { operationStore } from '../buys/operation-store.js';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { isOperationInReach, listOfOperations } from '../core/list-of-operations.js';
import { byTime, given, within } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { rowReader, type Row } from '../core/row-mapper.js';
import { admitKnown, pathMark } from './admit-known.js';
import { admitRequest } from './admit-request.js';
import { readSnapshot } from '../ledger/read-snapshot.js';
import { readCustody, appendCustody } from './custody-chain.js';
import { standingOf, uncountedDelegations, type DelegationRow } from './delegation-row.js';
import { insertRefused } from './insert-request.js';
import { legOf, operationOf } from '../buys/rows.js';
import { headColumns, headOf, type HeadRow } from '../ledger/stream-head.js';

/** Relayed requests in PostgreSQL, and the chains that their records are sealed into. */
export function relayLog(store: Store, { announce }: Pick<ChangeOptions, 'announce'> = {}): RelayLog {
  return {
    admit: (scope, admission, decide) => admitRequest(store, scope, admission, decide),
    pathMark: (scope, rows) => pathMark(store, scope, rows),
    delegationsOf: async (scope, principalId, seller) => {
      const { rows } = await store.onceInTenant<DelegationRow>(
        scope,
        uncountedDelegations(principalId, seller),
      );
      return rows.map((row) => standingOf(row).delegation);
    },
    admitKnown: admitKnown(store),
    refuse: (scope, refused) =>
      store.inTenant(scope, async (client) => {
        // Sent together: none of them waits for another.
        await Promise.all(refused.map((record) => insertRefused(client, record)));
      }),
    seal: (scope, principalId, ended) =>
      retryDeadlock(() =>
        store.inTenant(
          scope,
          async (client) => {
            const lastSteps: (() => Promise<void>)[] = [];
            const operations = operationStore(joinedStore(store, client), {
              ...(announce !== undefined && { announce }),
              lastSteps,
            });
            const changed = ended.filter(({ apply }) => apply !== undefined);
            // The lock order of a webhook: operations and buys, their rows, and the organization's spend last.
            if (changed.length > 1) await lockOperations(client, operationsOf(changed));
            // One after another, because two may be about one buy. The head of the chain is locked last.
            for (const { apply } of changed) await apply?.(operations);
            for (const settle of lastSteps) await settle();
            await sealRequests(client, principalId, ended);
          },
          'by_keys',
        ),
      ),
    findDuplicate: (scope, principalId, { keyid, nonce, since }) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<Row>(
          `select * from relay_request
           where organization_id = $1 and principal_id = $2 and arrived_at >= $3 and keyid = $4 and nonce = $5
           order by arrived_at limit 1`,
          [client.organizationId, principalId, isoOf(since), keyid, nonce],
        );
        const [found] = rows.map(rowOf);
        if (found === undefined) return undefined;
        const { id: recordId, bodyHash, outcome } = found;
        return { recordId, bodyHash, ...(outcome === undefined ? {} : { outcome }) };
      }),
    leftOpen: (scope, arrivedBefore, limit) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ draft: string }>(
          `select draft from relay_request
           where organization_id = $1 and state = 'open' and draft is not null and arrived_at < $2
           order by arrived_at limit $3`,
          [client.organizationId, isoOf(arrivedBefore), limit],
        );
        return rows.map(({ draft }) => recordOf(JSON.parse(draft) as Omit<CustodyRecord, 'outcome'>));
      }),
    isShared: (scope, connectionId, principalId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ shared: boolean }>(
          `select exists (select from seller_buy s
             join media_buy m on m.organization_id = s.organization_id and m.id = s.media_buy_id
             where s.organization_id = $1 and s.connection_id = $2 and m.principal_id <> $3)
             or shares_account($2) as shared`,
          [client.organizationId, connectionId, principalId],
        );
        return rows[0]?.shared === true;
      }),
    unrecorded: (scope, limit) => store.inTenant(scope, (client) => unrecordedLegs(client, limit)),
    recorded: (scope, legIds, at) =>
      store.inTenant(scope, async (client) => {
        await client.query('update leg set custody_at = $2 where id = any($1::uuid[])', [legIds, isoOf(at)]);
      }),
    list: (scope, filter) => store.inTenant(scope, async (client) => (await list(client, filter)).map(rowOf)),
    show: (scope, id, { reach } = {}) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{
          body: string;
          hash: string;
          block_number: string;
          principal_id: string;
          operation_id: string | null;
        }>(
          `select e.body, e.hash, e.block_number, r.principal_id, r.operation_id
           from custody_entry e
           join relay_request r on r.organization_id = e.organization_id and r.id = e.record_id
           where e.organization_id = $1 and e.record_id = $2`,
          [client.organizationId, id],
        );
        const [row] = rows;
        if (row === undefined) return undefined;
        const isOwn = reach?.kind === 'limited' && reach.principalId === row.principal_id;
        const of = reach === undefined ? {} : { reach };
        if (!isOwn && !(await isOperationInReach(client, row.operation_id, of))) return undefined;
        return {
          principalId: row.principal_id,
          record: JSON.parse(row.body) as JsonObject,
          hash: row.hash,
          block: row.block_number,
        };
      }),
    chain: (scope, principalId, read) =>
      readSnapshot(store, scope, async (client) => read(await readCustody(client, principalId))),
  };
}

/**
 * A refused request has no operation: only its principal is its owner. A reach of only one's own requests uses the
 * index of the principal.
 */
async function list(client: TenantClient, filter: CustodyFilter): Promise<readonly Row[]> {
  const { principalId, seller, outcome, sort, reach, ...objects } = filter;
  const own = reach?.kind === 'limited' ? reach.principalId : undefined;
  const isOwnAlone =
    reach?.kind === 'limited' &&
    [reach.clientIds, reach.brandDomains, reach.campaignIds].every((ids) => ids.length === 0);
  const rows = {
    picked: 'r.id, r.arrived_at',
    from: 'relay_request r',
    fromOperation: 'relay_request r where r.operation_id = listed.id',
    operation: 'r.operation_id',
    where: [
      given('r.principal_id = ?', principalId),
      given('r.principal_id = ?', isOwnAlone ? own : undefined),
      isOwnAlone && own === undefined ? (['false'] as const) : undefined,
      given('r.seller = ?', seller),
      given('r.outcome = ?', outcome),
      ...within('r.arrived_at', filter),
    ],
    order: byTime('r.arrived_at', { column: 'r.id', isDescending: false }, sort),
    columns: 'r.*',
    beside: 'join relay_request r on r.id = x.id',
  };
  if (reach === undefined || isOwnAlone)
    return listOfOperations<Row>(client, rows, [{ filter: objects }], filter);
  const ownRequests =
    own === undefined ? [] : [{ filter: objects, also: ['r.principal_id = ?', own] as const }];
  return listOfOperations<Row>(client, rows, [{ filter: { ...objects, reach } }, ...ownRequests], filter);
}

const readRow = rowReader<Omit<RelayedRow, 'inChain'>>()(`
  id, principal_id, seller, way, task, delegation_id, operation_id, outcome, code, body_hash, arrived_at, ended_at`);

function rowOf(row: Row): RelayedRow {
  return { ...readRow(row), inChain: row['state'] === 'sealed' };
}

function operationsOf(ended: readonly Ended[]): readonly string[] {
  return ended.flatMap(({ record: { operationId } }) => (operationId === undefined ? [] : [operationId]));
}

/** A draft is a record without an end: its process died, so the result is unknown. */
function recordOf(draft: Omit<CustodyRecord, 'outcome'> & Partial<CustodyRecord>): CustodyRecord {
  return { ...draft, outcome: draft.outcome ?? 'unknown' };
}

/** Ends rows that are still open, locks the chain of their principal, and appends their records to it. */
async function sealRequests(
  client: TenantClient,
  principalId: string,
  ended: readonly Ended[],
): Promise<void> {
  const stream = custodyStream(principalId);
  const asked = performance.now();
  const { rows } = await client.query<{ ids: readonly string[] } & (HeadRow | { number: null })>({
    name: 'relay_request_ended',
    text: `with ended as (
             update relay_request r
             set state = 'sealed', draft = null, outcome = e.outcome, code = e.code, ended_at = e.ended_at,
                 operation_id = coalesce(r.operation_id, e.operation_id),
                 held_micros = case when e.releases then null else r.held_micros end
             from unnest($2::uuid[], $3::text[], $4::text[], $5::timestamptz[], $6::uuid[], $7::boolean[])
               as e(id, outcome, code, ended_at, operation_id, releases)
             where r.organization_id = $1 and r.id = e.id and r.state = 'open' and r.principal_id = $8
             returning r.id)
           select array(select id::text from ended) as ids, head.*
           from (select 1) one left join lateral (
             select ${headColumns} from journal_head where organization_id = $1 and stream = $9 for update) head on true`,
    values: [
      client.organizationId,
      ended.map(({ record }) => record.id),
      ended.map(({ record }) => record.outcome),
      ended.map(({ record }) => record.code ?? null),
      ended.map(({ at }) => isoOf(at)),
      ended.map(({ record }) => record.operationId ?? null),
      ended.map(({ releases }) => releases),
      principalId,
      stream,
    ],
  });
  client.headWaited?.(performance.now() - asked);
  const [row] = rows;
  const taken = new Set(row?.ids);
  const links = ended
    .filter(({ record }) => taken.has(record.id))
    .map(({ record }) => ({ ...custodyEntry(record), recordId: record.id }));
  const last = ended.at(-1);
  if (links.length === 0 || last === undefined || row === undefined) return;
  const head = row.number === null ? undefined : headOf(stream, row);
  await appendCustody(client, links, { stream, head, at: last.at });
}

/**
 * Answered legs that are in no chain of custody yet, oldest first. A leg without a known outcome waits until it has
 * one, or until a person handles it.
 */
async function unrecordedLegs(client: TenantClient, limit: number): Promise<readonly ResignedLeg[]> {
  const legs = await client.query<Row>(
    `select l.*, p.name as principal_name, c.agent_url as seller_url, c.credential_id as seller_credential
     from leg l
     join operation o on o.organization_id = l.organization_id and o.id = l.operation_id
     join principal p on p.organization_id = l.organization_id and p.id = o.principal_id
     join connection c on c.organization_id = l.organization_id and c.id = l.connection_id
     where l.organization_id = $1 and l.custody_at is null and not l.sealed and l.attempts > 0
       and l.status not in ('held', 'pending', 'sent')
     order by l.created_at limit $2`,
    [client.organizationId, limit],
  );
  const ids = [...new Set(legs.rows.map((row) => row['operation_id']))];
  const found = await client.query<Row>('select * from operation where id = any($1::uuid[])', [ids]);
  const operations = new Map(found.rows.map(operationOf).map((operation) => [operation.id, operation]));
  return legs.rows.flatMap((row) => {
    const leg = legOf(row);
    const operation = operations.get(leg.operationId);
    const { principal_name: principal, seller_url: sellerUrl, seller_credential: credentialId } = row;
    if (operation === undefined || typeof principal !== 'string' || typeof sellerUrl !== 'string') return [];
    return [
      { leg, operation, principal, sellerUrl, ...(typeof credentialId === 'string' ? { credentialId } : {}) },
    ];
  });
}

/**
 * The store inside an open transaction: what its repositories write is part of that transaction, and ends with it.
 * After a failure nothing more is sent, because PostgreSQL accepts nothing more: the owner of the transaction gets the
 * first error, even if a repository would retry.
 */
function joinedStore(store: Store, client: TenantSession): Store {
  const joined: TenantSession = {
    ...client,
    lastQuery: (statement) => client.query(statement),
  };
  let failure: { readonly error: unknown } | undefined;
  const inTenant: Store['inTenant'] = async ({ organizationId }, work) => {
    if (organizationId !== client.organizationId) throw new TypeError("The transaction is another tenant's.");
    if (failure !== undefined) throw failure.error;
    try {
      return await work(joined);
    } catch (error) {
      failure = { error };
      throw error;
    }
  };
  return {
    ...store,
    inTenant,
    inTenantModels: (scope, work) => inTenant(scope, ({ models }) => work(models)),
  };
}
