import type { ClientRepository } from '@switchyard/buys';
import {
  breakKinds,
  compareAccounts,
  daysOfPeriod,
  reconciliationWork,
  toleranceAmong,
  type BookedInvoice,
  type LedgerStore,
  type PackageFigures,
  type Tolerance,
} from '@switchyard/ledger';
import { microsToDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { isInReach, reachOf, type PrincipalDirectory } from '@switchyard/tenancy';
import {
  breakPlace,
  type BreakRepository,
  type FigureRepository,
  type InvoiceRepository,
  type readFigures,
  type StoredBreak,
  type ToleranceRepository,
} from '@switchyard/store';
import { defined, err, inTurns, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, nameOrId, period, reasonText } from '../platform/routes/fields.js';
import { sortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';
import { refuseArchivedPeriod } from '../ledger/index.js';
import { noBreak } from './no-break.js';
import { readTolerance } from './tolerances.routes.js';

interface ReconciliationDeps {
  readonly breaks: BreakRepository;
  readonly invoices: InvoiceRepository;
  readonly figures: (
    scope: Parameters<typeof readFigures>[1],
    wanted: Parameters<typeof readFigures>[2],
  ) => ReturnType<typeof readFigures>;
  readonly principals: Pick<PrincipalDirectory, 'find' | 'findByName'>;
  readonly tolerances: Pick<ToleranceRepository, 'all'>;
  readonly thirdParties: Pick<FigureRepository, 'accounts'>;
  readonly ledger: Pick<LedgerStore, 'archive' | 'head'>;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly clients: Pick<ClientRepository, 'clients'>;
  readonly clock: Clock;
}

const state = z.enum(['open', 'disputed', 'resolved', 'gone']);
const resolution = z.enum(['credit', 'dispute', 'accept', 'write-off', 'corrected', 'expected']);

const foundBreak = z.strictObject({
  break_id: z.string(),
  period,
  kind: z.enum(breakKinds),
  seller: z.string(),
  client: z.string().nullable(),
  brand: z.string().exactOptional(),
  campaign: z.string().nullable(),
  account: z
    .string()
    .exactOptional()
    .describe('Our account at the seller: its id, else the brand and the operator.'),
  buy: z.string().nullable(),
  package: z.string().nullable(),
  ordered: z.string().nullable(),
  reported: z.string().nullable().describe('What the seller pushed.'),
  polled: z.string().nullable().describe('What it answered when it was queried.'),
  invoiced: z.string().nullable(),
  third_party: z.string().exactOptional().describe('What a third party counted, for example an ad server.'),
  third_party_source: z.string().exactOptional().describe('Whose figures these are.'),
  currency: z.string(),
  difference: z.string().describe('Invoiced less delivered; of an over-delivery delivered less ordered.'),
  cause: z.string(),
  evidence: z.array(z.string()).describe('Ids of invoices and report versions, 200 at most.'),
  age_days: z.int(),
  owner: z.string().nullable(),
  state,
  resolution: resolution.exactOptional(),
  reason: z.string().exactOptional(),
  resolved_by: z.string().exactOptional(),
  resolved_at: instant.exactOptional(),
  entry_id: z.string().exactOptional().describe('The entry of the ledger that resolved it.'),
  dispute_id: z.string().exactOptional().describe('The case in which it is disputed.'),
  tolerance: z
    .strictObject({
      absolute: z.string(),
      percent: z.string(),
      allowed: z.string().describe('What both come to for this amount.'),
      rule: z.string().describe('request, seller and client, client, seller, organization or default.'),
    })
    .exactOptional()
    .describe('What was tolerated when this was found.'),
});

const detail = z.strictObject({
  ...foundBreak.shape,
  comments: z.array(z.strictObject({ by: z.string(), text: z.string(), at: instant })),
});

const run = z.strictObject({
  period,
  seller: nameOrId.exactOptional(),
  client_id: z.uuid().exactOptional(),
  tolerance: z
    .string()
    .exactOptional()
    .describe(
      'Largest difference in units of the currency that is none, for this run alone. Without it and tolerance_percent the stored tolerances hold.',
    ),
  tolerance_percent: z
    .string()
    .exactOptional()
    .describe(
      'The same in percent of what was delivered, with two decimals at most. The greater of both holds.',
    ),
});

const route = routesOn<ReconciliationDeps>();

/** Compares what was ordered, delivered and invoiced, and stores the decision about each difference. */
export const reconciliationRoutes = [
  route({
    method: 'post',
    path: '/v1/reconciliations',
    id: 'reconcile',
    summary: 'Compare what was ordered, delivered and invoiced in one period',
    needs: 'ledger.write',
    body: run,
    answer: z.strictObject({ matched: z.int(), breaks: z.array(foundBreak) }),
    example: { matched: 12, breaks: [] },
    handle: (deps, { caller, body }) => runReconciliation(deps, caller, body),
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
      state: state.exactOptional(),
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
    body: z.strictObject({ as: resolution, reason: reasonText.exactOptional() }),
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

async function runReconciliation(
  deps: ReconciliationDeps,
  caller: PrincipalCaller,
  wanted: z.output<typeof run>,
): Promise<Result<{ matched: number; breaks: z.output<typeof foundBreak>[] }, AdminFailure>> {
  const { breaks, invoices, figures, tolerances, thirdParties, ledger, connections, clients, clock } = deps;
  const { period: month, seller, client_id: clientId } = wanted;
  const reach = reachOf(caller, 'ledger', 'write');
  if (!isInReach(reach, clientId === undefined ? {} : { clientId }))
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message:
        'This needs ledger.write in the scope organization, or in the scope of the client that is named.',
    });
  const ofClient = { id: clientId ?? '', limit: 1 };
  if (clientId !== undefined && (await clients.clients(caller, reach, ofClient)).length === 0)
    return err({ code: 'NOT_FOUND', message: 'No client has this id.', field: 'client_id' });
  const archived = await refuseArchivedPeriod(deps, caller, month);
  if (archived !== undefined) return err(archived);
  const own = toleranceOf(wanted);
  if (!own.ok) return own;
  const toleranceFor =
    own.value === undefined ? toleranceAmong(await tolerances.all(caller)) : constantly(own.value);
  // The run may miss what is booked after this point; such entries make another run due.
  const { number: block } = await ledger.head(caller);
  const { from, to } = daysOfPeriod(month);
  const billed = await invoices.ofPeriod(caller, month, seller);
  const part = defined({ seller, clientId });
  const all = await figures(caller, { period: month, invoices: billed, ...part });
  const { leftOut, ...amounts } =
    clientId === undefined
      ? { leftOut: new Set<string>(), packages: all, invoices: billed }
      : ofOneClient(all, billed);
  const compared = { from, to, ...amounts, toleranceOf: toleranceFor };
  // An account at a seller covers all clients together.
  const accounts = clientId === undefined ? await thirdParties.accounts(caller, month, seller) : [];
  if (seller !== undefined && all.length + billed.length + accounts.length === 0) {
    if ((await connections.bySlug(caller, seller)) === undefined)
      return err({ code: 'NOT_FOUND', message: 'No seller has this name.', field: 'seller' });
  }
  const [found, ofAccounts] = [
    await inTurns(reconciliationWork(compared)),
    compareAccounts(compared, accounts),
  ];
  const matched = found.matched + ofAccounts.matched;
  await breaks.saveRun(
    caller,
    {
      period: month,
      ...part,
      leftOut: [...leftOut],
      by: caller.principalId,
      block,
      matched,
      agreed: found.agreed,
    },
    [...found.breaks, ...ofAccounts.breaks],
    clock.now(),
  );
  const open = await breaks.list(caller, {
    reach,
    period: month,
    state: 'open',
    limit: breaksShown,
    ...(seller !== undefined && { seller }),
    ...(clientId !== undefined && { ofClient: { id: clientId, found: found.breaks } }),
  });
  const shown = open.filter((difference) => !leftOut.has(difference.seller));
  return ok({ matched, breaks: shown.map((difference) => breakView(difference, clock.now())) });
}

/** The most breaks in the answer of a run; the list has the others. */
const breaksShown = 1_000;

/**
 * What can be compared for one client: lines that name its buys. A seller that invoices without naming buys bills all
 * clients together, so it is left out.
 */
function ofOneClient(all: readonly PackageFigures[], billed: readonly BookedInvoice[]) {
  const isLoose = ({ lines }: BookedInvoice): boolean =>
    lines.some(({ sellerMediaBuyId }) => sellerMediaBuyId === undefined);
  const together = new Set(billed.filter(isLoose).map(({ seller }) => seller));
  const packages = all.filter(({ seller }) => !together.has(seller));
  const known = new Set(packages.map(({ sellerMediaBuyId }) => sellerMediaBuyId));
  const invoices = billed.flatMap((invoice) => {
    const lines = invoice.lines.filter(({ sellerMediaBuyId: id }) => id !== undefined && known.has(id));
    return lines.length === 0 || together.has(invoice.seller) ? [] : [{ ...invoice, lines }];
  });
  return { leftOut: together, packages, invoices };
}

const constantly = (tolerance: Tolerance) => (): Tolerance => tolerance;

/** The tolerance that the request sets for this run; empty if it sets none. */
function toleranceOf({
  tolerance,
  tolerance_percent: percent,
}: z.output<typeof run>): Result<Tolerance | undefined, AdminFailure> {
  if (tolerance === undefined && percent === undefined) return ok(undefined);
  const read = readTolerance({ absolute: tolerance ?? '0.01', percent: percent ?? '0' });
  if (read.ok) return ok({ ...read.value, rule: 'request' });
  const field = read.error.field === 'percent' ? 'tolerance_percent' : 'tolerance';
  return err({ ...read.error, field });
}

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

const dayMs = 86_400_000;

/** The view of a break. A value that the comparison needs and does not have is null. */
export function breakView(storedBreak: StoredBreak, now: number): z.output<typeof foundBreak> {
  const amount = (micros: bigint | undefined): string | null =>
    micros === undefined ? null : microsToDecimal(micros);
  return {
    break_id: storedBreak.id,
    period: storedBreak.period,
    kind: storedBreak.kind,
    seller: storedBreak.seller,
    currency: storedBreak.currency,
    difference: microsToDecimal(storedBreak.differenceMicros),
    cause: storedBreak.cause,
    evidence: [...storedBreak.evidence],
    age_days: Math.floor((now - storedBreak.foundAt) / dayMs),
    state: storedBreak.state,
    ...placeOf(storedBreak),
    ordered: amount(storedBreak.orderedMicros),
    reported: amount(storedBreak.reportedMicros),
    polled: amount(storedBreak.polledMicros),
    invoiced: amount(storedBreak.invoicedMicros),
    ...(storedBreak.thirdPartyMicros !== undefined && {
      third_party: microsToDecimal(storedBreak.thirdPartyMicros),
    }),
    ...(storedBreak.thirdPartySource !== undefined && { third_party_source: storedBreak.thirdPartySource }),
    owner: storedBreak.owner ?? null,
    ...defined({
      resolution: storedBreak.resolution,
      reason: storedBreak.reason,
      resolved_by: storedBreak.resolvedBy,
    }),
    ...(storedBreak.resolvedAt !== undefined && { resolved_at: isoOf(storedBreak.resolvedAt) }),
    ...defined({
      entry_id: storedBreak.entryId,
      dispute_id: storedBreak.disputeId,
      tolerance: storedBreak.tolerance,
    }),
  };
}

function placeOf(storedBreak: StoredBreak) {
  return {
    client: storedBreak.client ?? null,
    ...(storedBreak.brandDomain !== undefined && { brand: storedBreak.brandDomain }),
    campaign: storedBreak.campaign ?? null,
    ...(storedBreak.account !== undefined && { account: storedBreak.account }),
    buy: storedBreak.mediaBuyId ?? null,
    package:
      storedBreak.packageRef === undefined || storedBreak.packageRef === '' ? null : storedBreak.packageRef,
  };
}
