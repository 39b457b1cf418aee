import type { ClientRepository } from '@switchyard/buys';
import {
  compareAccounts,
  daysOfPeriod,
  isDelivered,
  reconciliationWork,
  toleranceAmong,
  type BookedInvoice,
  type LedgerStore,
  type PackageFigures,
  type Reconciliation,
  type Tolerance,
} from '@switchyard/ledger';
import type { ConnectionDirectory } from '@switchyard/sellers';
import type {
  BreakRepository,
  FigureRepository,
  InvoiceRepository,
  readFigures,
  ToleranceRepository,
} from '@switchyard/store';
import { isInReach, reachOf } from '@switchyard/tenancy';
import { defined, err, nextTurn, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import { refuseArchivedPeriod } from '../ledger/index.js';
import type { AdminFailure } from '../platform/failure.js';
import { jobsOn } from '../platform/jobs/job-kind.js';
import { nameOrId, period } from '../platform/routes/fields.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { breakView, type foundBreak } from './break-view.js';
import { readTolerance } from './tolerances.routes.js';

export interface RunDeps {
  readonly breaks: BreakRepository;
  readonly invoices: InvoiceRepository;
  readonly figures: (
    scope: Parameters<typeof readFigures>[1],
    wanted: Parameters<typeof readFigures>[2],
  ) => ReturnType<typeof readFigures>;
  readonly tolerances: Pick<ToleranceRepository, 'all'>;
  readonly thirdParties: Pick<FigureRepository, 'accounts'>;
  readonly ledger: Pick<LedgerStore, 'archive' | 'head'>;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly clients: Pick<ClientRepository, 'clients'>;
  readonly clock: Clock;
}

/** Which part of a month is compared, and by which tolerance. */
export const reconciliationRun = z.strictObject({
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

/** Called with the buys that were read, and how many there are. */
type Progress = (done: number, total: number) => Promise<void>;

/** Compares one month and stores what was found. */
export async function runReconciliation(
  deps: RunDeps,
  caller: PrincipalCaller,
  wanted: z.output<typeof reconciliationRun>,
  progress?: Progress,
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
  const { packages: all, look } = await figures(caller, {
    period: month,
    invoices: billed,
    asOf: clock.now(),
    ...part,
    ...defined({ progress }),
  });
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
    await lookingAt(reconciliationWork(compared), look),
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
      settled: found.settled,
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

/** Compares, and reads the days and the evidence of packages where they are looked at. */
async function lookingAt(
  work: ReturnType<typeof reconciliationWork>,
  look: Awaited<ReturnType<typeof readFigures>>['look'],
): Promise<Reconciliation> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    await (step.value === undefined ? nextTurn() : look(step.value));
  }
}

/** The most breaks in the answer of a run; the list has the others. */
const breaksShown = 1_000;

/**
 * What can be compared for one client: lines that name its buys. A seller that invoices without naming buys bills all
 * clients together, so it is left out.
 */
function ofOneClient(all: readonly PackageFigures[], billed: readonly BookedInvoice[]) {
  const isLoose = ({ lines }: BookedInvoice): boolean =>
    lines.some((line) => line.sellerMediaBuyId === undefined && isDelivered(line));
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
}: z.output<typeof reconciliationRun>): Result<Tolerance | undefined, AdminFailure> {
  if (tolerance === undefined && percent === undefined) return ok(undefined);
  const read = readTolerance({ absolute: tolerance ?? '0.01', percent: percent ?? '0' });
  if (read.ok) return ok({ ...read.value, rule: 'request' });
  const field = read.error.field === 'percent' ? 'tolerance_percent' : 'tolerance';
  return err({ ...read.error, field });
}

/** A run that was stopped while it read. */
class RunStopped extends Error {}

/**
 * The same as a job, which says how many buys are read. What it finds is stored in one commit, and a repetition stores the
 * same: one whose process ended after it ends with the same result.
 */
export const reconciliationJob = jobsOn<RunDeps>()({
  name: 'reconcile',
  title: 'Reconciliation of a month',
  needs: 'ledger.write',
  waitsFor: 'database',
  input: reconciliationRun,
  cursor: z.strictObject({}),
  first: {},
  unit: async (deps, job) => {
    const save = async (done: number, total: number): Promise<void> => {
      if ((await job.save({ cursor: {}, done, total, phase: 'reading' })) !== 'go_on') throw new RunStopped();
    };
    const done = await runReconciliation(deps, job.caller, job.input, save).catch((error: unknown) => {
      if (error instanceof RunStopped) return undefined;
      throw error;
    });
    if (done === undefined) return ok({ progress: { cursor: {}, done: 0 } });
    if (!done.ok) return done;
    const { matched, breaks } = done.value;
    return ok({ result: { matched, open: breaks.length } });
  },
});
