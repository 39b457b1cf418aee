import type { reconciliation_breakModel } from '../generated/models.js';
import { createHash, randomUUID } from 'node:crypto';
import {
  decideResolution,
  owedKinds,
  percentText,
  previewResolutions,
  subjectOf,
  type BreakResolution,
  type DecidedResolution,
  type FoundBreak,
  type ResolutionDraft,
  type ResolutionPreview,
  type UsedTolerance,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { ListSort, Reach, TenantScope } from '@switchyard/tenancy';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { comparedBy, directionOf } from '../core/list-statement.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { rowReader, type Row, type RowOf } from '../core/row-mapper.js';
import { appendBlock } from '../ledger/append-block.js';
import { openFrom } from '../ledger/open-from.js';
import { lockHead } from '../ledger/stream-head.js';
import { accountText } from './spend-by.js';
import { timeOrderedId } from '../ledger/time-ordered-id.js';
import {
  breakColumns,
  breakRow,
  lockBilled,
  replaceHolds,
  resolvedBefore,
  type JudgedRound,
} from './break-verdict.js';
import { insertDispute, largestOf } from './dispute-case.js';
import { settleAgreed } from './settle-agreed.js';
import { takeTurn } from '../core/take-turns.js';
import { lockRow } from '../core/lock-row.js';

/** A tolerance that was applied: amounts and percent as decimal text. */
interface ShownTolerance {
  readonly absolute: string;
  readonly percent: string;
  /** The tolerance in money, for the amount that was compared. */
  readonly allowed: string;
  readonly rule: string;
}

export interface StoredBreak extends Omit<FoundBreak, 'tolerance'> {
  readonly tolerance?: ShownTolerance;
  /** UUID. */
  readonly id: string;
  readonly period: string;
  readonly state: 'open' | 'disputed' | 'resolved' | 'gone';
  readonly foundAt: Instant;
  readonly client?: string;
  /** UUID. */
  readonly clientId?: string;
  readonly campaign?: string;
  /** UUID. */
  readonly campaignId?: string;
  /** Our account at the seller: its id, else brand and operator. */
  readonly account?: string;
  readonly brandDomain?: string;
  readonly owner?: string;
  readonly resolution?: BreakResolution;
  readonly reason?: string;
  readonly resolvedBy?: string;
  readonly resolvedAt?: Instant;
  readonly entryId?: string;
  /** UUID of the case in which it is disputed. */
  readonly disputeId?: string;
}

interface BreakComment {
  readonly by: string;
  readonly text: string;
  readonly at: Instant;
}

interface BreakFilter {
  readonly reach: Reach;
  readonly period?: string;
  readonly seller?: string;
  readonly state?: string;
  readonly id?: string;
  /** Only this client (UUID), and these breaks: a duplicate invoice has no client. */
  readonly ofClient?: { readonly id: string; readonly found: readonly FoundBreak[] };
  /** Newest first unless set. */
  readonly sort?: ListSort;
  readonly after?: readonly (string | number)[];
  readonly limit: number;
}

/** The scope of a run: only breaks in this scope that it does not find again are closed. */
interface RunOf {
  readonly period: string;
  readonly seller?: string;
  /** UUID. */
  readonly clientId?: string;
  /** Sellers that the run did not compare. */
  readonly leftOut: readonly string[];
  /** UUID of the principal. */
  readonly by: string;
  /** The ledger's newest block before its figures were read. */
  readonly block: bigint;
  readonly matched: number;
  /** Differences within the tolerance, by their subject. */
  readonly agreed: ReadonlyMap<string, bigint>;
  /** What agreements leave between delivery and what is owed: it is accepted at once. */
  readonly settled: readonly FoundBreak[];
}

/** Differences between what was ordered, delivered and invoiced, and their resolution. */
export function breakRepository(store: Store) {
  return {
    /**
     * Stores the result of a run. An open break gets new figures; one whose case is open stays as it is; a break resolved
     * at the same difference stays resolved, and at another difference becomes a new one; a break that is not found again is gone. Where nothing is
     * found any more and a resolution has posted an amount, an open break asks to reverse it.
     */
    saveRun: (scope: TenantScope, run: RunOf, found: readonly FoundBreak[], at: Instant): Promise<void> =>
      store.inTenant(scope, (client) => saveRun(client, run, found, at)),
    list: (scope: TenantScope, filter: BreakFilter): Promise<readonly StoredBreak[]> =>
      store.inTenant(scope, (client) => readBreaks(client, filter)),
    comments: (scope: TenantScope, id: string): Promise<readonly BreakComment[]> =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query<{ name: string; text: string; at: Date }>(
          `select p.name, c.text, c.at from break_comment c join principal p on p.id = c.principal_id
           where c.break_id = $1 order by c.at, c.id`,
          [id],
        );
        return rows.map(({ name, text, at }) => ({ by: name, text, at: at.getTime() }));
      }),
    comment: (scope: TenantScope, id: string, { by, text, at }: BreakComment): Promise<void> =>
      store.inTenantModels(scope, async ({ break_comment }) => {
        const key = { organization_id: scope.organizationId, id: randomUUID(), break_id: id };
        await break_comment.create({ data: { ...key, principal_id: by, text, at: new Date(at) } });
      }),
    /** False if the break is not open, or the principal is not in the organization. */
    assign: (scope: TenantScope, id: string, ownerId: string): Promise<boolean> =>
      store.inTenant(scope, async (client) => {
        const moved = await client.query(
          `update reconciliation_break set owner_id = p.id from principal p
           where reconciliation_break.id = $1 and state = 'open' and p.id = $2 and p.disabled_at is null`,
          [id, ownerId],
        );
        return moved.rowCount > 0;
      }),
    /** What each resolution of an open break would post; it has no place in the list if the break is not open. */
    preview: (scope: TenantScope, id: string): Promise<readonly ResolutionPreview[]> =>
      store.inTenant(scope, (client) => previewOf(client, id)),
    /** Resolves an open break with its ledger entry, in one commit. False if it is not open any more. */
    resolve: (scope: TenantScope, resolved: Resolved, at: Instant): Promise<boolean> =>
      store.inTenant(scope, async (client) => (await resolveBreak(client, resolved, at)) !== undefined),
  };
}

export type BreakRepository = ReturnType<typeof breakRepository>;

export interface Resolved extends ResolutionDraft {
  /** UUID. */
  readonly id: string;
  /** `YYYY-MM-DD`: the seller is asked to answer a dispute by then; 30 days from now unless set. */
  readonly dueOn?: string;
}

const hashed = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');

async function saveRun(
  client: TenantSession,
  run: RunOf,
  found: readonly FoundBreak[],
  at: Instant,
): Promise<void> {
  // Two runs of one organization take turns: otherwise both would add the same breaks.
  await takeTurn(client, 'comparison');
  // A seller may list one invoice under several accounts: that is one difference.
  const all = [...found, ...run.settled];
  const differences = new Map(all.map((difference) => [difference.fingerprint, difference]));
  const rows = [...differences.values()].map((difference) => ({
    id: randomUUID(),
    fingerprint: hashed(difference.fingerprint),
    kind: difference.kind,
    seller: difference.seller,
    media_buy_id: difference.mediaBuyId ?? null,
    package_ref: difference.packageRef ?? null,
    currency: difference.currency,
    ordered_micros: difference.orderedMicros?.toString() ?? null,
    reported_micros: difference.reportedMicros?.toString() ?? null,
    polled_micros: difference.polledMicros?.toString() ?? null,
    invoiced_micros: difference.invoicedMicros?.toString() ?? null,
    third_party_micros: difference.thirdPartyMicros?.toString() ?? null,
    third_party_source: difference.thirdPartySource ?? null,
    difference_micros: difference.differenceMicros.toString(),
    cause: difference.cause,
    evidence: difference.evidence.slice(0, evidenceAtMost),
    tolerance: difference.tolerance === undefined ? null : toleranceText(difference.tolerance),
  }));
  const { organizationId } = client;
  await client.query(saveFound, [JSON.stringify(rows), organizationId, run.period, new Date(at)]);
  const fingerprints = run.settled.map(({ fingerprint }) => hashed(fingerprint));
  await settleAgreed(client, { period: run.period, by: run.by, fingerprints }, at);
  const notFound = [
    run.period,
    rows.map(({ fingerprint }) => fingerprint),
    run.seller ?? null,
    run.clientId ?? null,
    run.leftOut,
  ];
  const posted = await client.query<PostedRow>(postedNotFound, [...notFound, [...owedKinds]]);
  const left = posted.rows.filter(
    (row) => run.agreed.get(subjectOf(subjectIn(row))) !== BigInt(row.difference_micros),
  );
  const reversed = left.map(({ fingerprint }) => fingerprint);
  await client.query(closeNotFound, [...notFound, new Date(at), reversed]);
  if (reversed.length > 0) {
    await client.query(updateReversal, [run.period, reversed, new Date(at)]);
    await client.query(openReversal, [run.period, reversed, new Date(at)]);
  }
  // A run over a part of the period does not count as a run of the whole.
  if (run.seller !== undefined || run.clientId !== undefined) return;
  const { period, block, matched, by } = run;
  const key = { organization_id: organizationId, period };
  const ran = { block_number: block, matched, found: found.length, ran_by: by, ran_at: new Date(at) };
  await client.models.reconciliation_run.upsert({
    where: { organization_id_period: key },
    create: { ...key, ...ran },
    update: ran,
  });
}

function toleranceText({
  absoluteMicros,
  percentHundredths,
  allowedMicros,
  rule,
}: UsedTolerance): JsonObject {
  return {
    absolute: microsToDecimal(absoluteMicros),
    percent: percentText(percentHundredths),
    allowed: microsToDecimal(allowedMicros),
    rule,
  };
}

/** Limit of report version ids beside one break: the others are found by its buy. */
const evidenceAtMost = 200;

const saveFound = `
  with found as (
    select f.*, m.client_id, m.brand_domain, m.campaign_id, last.round, last.state, last.difference_micros as was
    from jsonb_to_recordset($1::jsonb) as f (id uuid, fingerprint text, kind text, seller text, media_buy_id text,
      package_ref text, currency text, ordered_micros bigint, reported_micros bigint, polled_micros bigint,
      invoiced_micros bigint, third_party_micros bigint, third_party_source text, difference_micros bigint, cause text, evidence text[],
      tolerance jsonb)
    left join media_buy m on m.id = f.media_buy_id
    left join lateral (
      select b.round, b.state, b.difference_micros from reconciliation_break b
      where b.organization_id = $2 and b.period = $3 and b.fingerprint = f.fingerprint order by b.round desc limit 1
    ) last on true
  )
  insert into reconciliation_break (id, organization_id, period, fingerprint, round, kind, seller, media_buy_id,
    package_ref, client_id, brand_domain, campaign_id, currency, ordered_micros, reported_micros, polled_micros,
    invoiced_micros, third_party_micros, third_party_source, difference_micros, cause, evidence, tolerance, state, found_at,
    seen_at)
  select id, $2, $3, fingerprint,
    case when state = 'resolved' then round + 1 else coalesce(round, 1) end, kind, seller, media_buy_id,
    package_ref, client_id, brand_domain, campaign_id, currency, ordered_micros, reported_micros, polled_micros,
    invoiced_micros, third_party_micros, third_party_source, difference_micros, cause, evidence, tolerance, 'open', $4, $4
  from found
  where state is null or state in ('open', 'gone') or (state = 'resolved' and was <> difference_micros)
  on conflict (organization_id, period, fingerprint, round) do update set kind = excluded.kind,
    ordered_micros = excluded.ordered_micros, reported_micros = excluded.reported_micros,
    polled_micros = excluded.polled_micros, invoiced_micros = excluded.invoiced_micros,
    third_party_micros = excluded.third_party_micros, third_party_source = excluded.third_party_source,
    difference_micros = excluded.difference_micros, cause = excluded.cause, evidence = excluded.evidence,
    tolerance = excluded.tolerance,
    client_id = excluded.client_id, brand_domain = excluded.brand_domain, campaign_id = excluded.campaign_id,
    state = 'open', seen_at = excluded.seen_at, resolution = null, reason = null, resolved_by = null, resolved_at = null,
    entry_id = null, dispute_id = null`;

/** The breaks of what the run compared that it did not find. */
const isNotFound = `b.period = $1 and not (b.fingerprint = any($2::text[]))
  and ($3::text is null or b.seller = $3) and ($4::uuid is null or b.client_id = $4) and not (b.seller = any($5::text[]))`;

type PostedRow = Row &
  Pick<
    RowOf<reconciliation_breakModel>,
    'fingerprint' | 'seller' | 'media_buy_id' | 'package_ref' | 'currency' | 'difference_micros'
  >;

const subjectIn = ({ seller, currency, media_buy_id: buy, package_ref: ref }: PostedRow) => ({
  seller,
  currency,
  ...(buy !== null && { mediaBuyId: buy }),
  ...(ref !== null && { packageRef: ref }),
});

/** The last resolution of each difference that is not found any more, if it posted an amount (`amountsOf`). */
const postedNotFound = `
  select * from (
    select distinct on (fingerprint) * from reconciliation_break where period = $1 and state = 'resolved'
    order by fingerprint, round desc
  ) b
  where b.resolution <> 'corrected' and b.difference_micros <> 0 and b.invoiced_micros is not null
    and b.kind = any($6::text[]) and not (b.kind = 'unordered_fee' and b.resolution = 'accept') and ${isNotFound}`;

const closeNotFound = `
  update reconciliation_break b set state = 'gone', seen_at = $6
  where b.state = 'open' and ${isNotFound} and not (b.fingerprint = any($7::text[]))`;

const reversalCause = (
  row: string,
): string => `'Its figures agree now, and its resolution (' || ${row}.resolution
  || ') posted ' || trim_scale(${row}.difference_micros / 1000000.0) || ' ' || ${row}.currency
  || ': resolve it as corrected to reverse that.'`;

/** The last round of a difference that is in `$2`, and its last resolution. */
const rounds = `
  select distinct on (r.fingerprint) r.*, l.id as last_id, l.round as last_round, l.state as last_state
  from reconciliation_break r join lateral (
    select n.id, n.round, n.state from reconciliation_break n
    where n.organization_id = r.organization_id and n.period = r.period and n.fingerprint = r.fingerprint
    order by n.round desc limit 1) l on true
  where r.period = $1 and r.fingerprint = any($2::text[]) and r.state = 'resolved'
  order by r.fingerprint, r.round desc`;

/** Keeps the open round of a difference that is not found any more, to reverse what an earlier one has posted. */
const updateReversal = `
  update reconciliation_break b set seen_at = $3, difference_micros = 0, cause = ${reversalCause('e')},
    reported_micros = null, polled_micros = null, invoiced_micros = null, third_party_micros = null
  from (${rounds}) e where b.id = e.last_id and b.state = 'open'`;

/** Opens a new round of a resolved difference, to reverse what its resolution has posted. */
const openReversal = `
  insert into reconciliation_break (id, organization_id, period, fingerprint, round, kind, seller, media_buy_id,
    package_ref, client_id, brand_domain, campaign_id, currency, ordered_micros, difference_micros, cause, evidence, state,
    found_at, seen_at)
  select gen_random_uuid(), e.organization_id, e.period, e.fingerprint, e.last_round + 1, e.kind, e.seller, e.media_buy_id,
    e.package_ref, e.client_id, e.brand_domain, e.campaign_id, e.currency, e.ordered_micros, 0, ${reversalCause('e')},
    array[e.entry_id::text], 'open', $3, $3
  from (${rounds}) e where e.last_state <> 'open'`;

async function readBreaks(client: TenantClient, filter: BreakFilter): Promise<readonly StoredBreak[]> {
  const [at, id] = filter.after ?? [];
  const within = withinReach('b', withoutOwn(filter.reach), 10);
  const { sort = 'newest' } = filter;
  const { rows } = await client.query<Row & { readonly resolver: string | null }>(
    `select b.*, c.name as client, k.name as campaign, o.name as owner, r.name as resolver,
       case when m.id is not null or s.account is not null then ${accountText} end as account
     from reconciliation_break b
     left join media_buy m on m.id = b.media_buy_id
     left join connection s on s.organization_id = b.organization_id and s.slug = b.seller
     left join client c on c.id = b.client_id left join campaign k on k.id = b.campaign_id
     left join principal o on o.id = b.owner_id left join principal r on r.id = b.resolved_by
     where ($1::text is null or b.state = $1) and ($2::text is null or b.period = $2)
       and ($3::text is null or b.seller = $3) and ($4::uuid is null or b.id = $4)
       and ($5::timestamptz is null or (b.found_at, b.id) ${comparedBy(sort)} ($5, $6::uuid))
       and ($8::uuid is null or b.client_id = $8 or b.fingerprint = any($9::text[])) and ${within.text}
     order by b.found_at ${directionOf(sort)}, b.id ${directionOf(sort)} limit $7`,
    [
      filter.state ?? null,
      filter.period ?? null,
      filter.seller ?? null,
      filter.id ?? null,
      at ?? null,
      id ?? null,
      filter.limit,
      filter.ofClient?.id ?? null,
      (filter.ofClient?.found ?? []).map(({ fingerprint }) => hashed(fingerprint)),
      ...within.values,
    ],
  );
  return rows.map(breakOf);
}

/** A break has no owner: it belongs to its client, brand and campaign. */
function withoutOwn(reach: Reach): Reach {
  if (reach.kind === 'everything') return reach;
  const { principalId: _own, ...others } = reach;
  return others;
}

/** Resolves an open break; undefined if it is not open. What is disputed of an invoice is a case, which has an id. */
export async function resolveBreak(
  client: TenantSession,
  resolved: Resolved,
  at: Instant,
): Promise<{ readonly disputeId?: string } | undefined> {
  const head = await lockHead(client);
  const found = await lockOpenBreak(client, resolved.id);
  if (found === undefined) return undefined;
  const [facts, documents] = await Promise.all([judgedFacts(client, found), lockBilled(client, found)]);
  const decided = decideResolution({ ...facts, documents }, resolved, { entryId: timeOrderedId(at), at });
  const disputeId = await openCase(client, { found, resolved, decided }, at);
  await client.models.reconciliation_break.updateMany({
    where: { id: found.id },
    data: {
      state: disputeId === undefined ? 'resolved' : 'disputed',
      resolution: resolved.as,
      reason: resolved.reason ?? null,
      resolved_by: resolved.by,
      resolved_at: new Date(at),
      entry_id: decided.entry.id,
      dispute_id: disputeId ?? null,
    },
  });
  await replaceHolds(client, found.fingerprint, decided.holds, at);
  await appendBlock(client, head, [decided.entry], at);
  return disputeId === undefined ? {} : { disputeId };
}

/** An open break by its id, not locked. */
export async function openBreak(
  { models, organizationId }: TenantSession,
  id: string,
): Promise<JudgedRound | undefined> {
  const where = { organization_id: organizationId, id, state: 'open' };
  const row = await models.reconciliation_break.findFirst({ where });
  return row === null ? undefined : breakRow(row);
}

async function lockOpenBreak(client: TenantClient, id: string): Promise<JudgedRound | undefined> {
  const row = await lockRow(client, 'reconciliation_break', { id, state: 'open' }, breakColumns);
  return row && breakRow(row);
}

async function judgedFacts(client: TenantSession, found: JudgedRound) {
  const [before, open] = await Promise.all([resolvedBefore(client, found), openFrom(client)]);
  return { found, ...present({ before, openFrom: open }) };
}

async function openCase(
  client: TenantClient,
  {
    found,
    resolved: { by, dueOn },
    decided: { dispute, entry },
  }: { readonly found: JudgedRound; readonly resolved: Resolved; readonly decided: DecidedResolution },
  at: Instant,
): Promise<string | undefined> {
  const invoice = dispute && (await largestOf(client, [dispute.invoiceId]));
  if (dispute === undefined || invoice === undefined) return undefined;
  const { amountMicros, reason } = dispute;
  const about = { breakId: found.id, holdKey: found.fingerprint, entryId: entry.id, ...present({ dueOn }) };
  return insertDispute(client, { invoice, amountMicros, reason, by, ...about }, at);
}

async function previewOf(client: TenantSession, id: string): Promise<readonly ResolutionPreview[]> {
  const found = await openBreak(client, id);
  return found === undefined ? [] : previewResolutions(await judgedFacts(client, found));
}

const readBreak = rowReader<Omit<StoredBreak, 'resolvedBy'>>()(`
  id, period, fingerprint, kind, seller, currency, difference_micros, cause, evidence, state, found_at, media_buy_id,
  package_ref, ordered_micros, reported_micros, polled_micros, invoiced_micros, third_party_micros, third_party_source,
  client, client_id, campaign, campaign_id, account, brand_domain, owner, resolution, reason, resolved_at, entry_id,
  tolerance, dispute_id`);

function breakOf(row: Row & { readonly resolver: string | null }): StoredBreak {
  return { ...readBreak(row), ...(row.resolver !== null && { resolvedBy: row.resolver }) };
}

/** Page key of a break in its list. */
export const breakPlace = ({ foundAt, id }: StoredBreak) => [isoOf(foundAt), id] as const;
