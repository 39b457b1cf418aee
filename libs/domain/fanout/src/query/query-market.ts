import { shapeArgs, type SellerRow } from '@switchyard/protocol';
import type {
  BreakerBoard,
  Connection,
  CredentialVersion,
  TransportFailure,
  Verdict,
} from '@switchyard/sellers';
import type { Instant } from '@switchyard/values';
import { queryLeg } from './query-leg.js';
import type { LegAnswer } from './leg-answer.js';
import { fanOut, type LegOutcome, type LegReport, cutOffCodes } from './fan-out.js';
import type { LeasedCredential, MarketAnswer, MarketLeg, MarketQuestion } from '../market-question.js';
import { planMarket, type PlannedLeg } from '../plan-market.js';
import { projectInTurns, projectRequests } from '../project-requests.js';

/** The most members of the long answers of all sellers to one question; answers beyond it are refused as too large. */
const mostMembers = 2_000_000;

/**
 * Queries all sellers that can serve a read. Resolves when all have settled, or at the deadline. Nothing is cached, and
 * no seller can make it reject.
 */
export async function queryMarket<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): Promise<MarketAnswer<Answer>> {
  const { breakers, clock, connections, spec } = question;
  const startedAt = clock.now();
  const endsAt = startedAt + question.deadlineMs;
  const plan = planMarket(spec, connections, breakers, startedAt);
  const total = plan.legs.length + plan.skipped.length;
  for (const [index, row] of plan.skipped.entries()) reportProgress(question, row, index + 1, total);
  question.onAsked?.(plan.legs.map(({ seller }) => seller));
  const credentials = await leaseAll(question, plan.legs);
  const project = projectRequests(question);
  await projectInTurns(
    question,
    project,
    plan.legs.map(({ connection }) => connection),
  );
  const requested = new Set<string>();
  const unread = new Set<string>();
  let membersLeft = mostMembers;
  const mayReadOf =
    ({ connection }: PlannedLeg) =>
    (members: number): boolean => {
      if (members <= membersLeft) membersLeft -= members;
      else unread.add(connection.id);
      return !unread.has(connection.id);
    };
  const outcomes = await fanOut<PlannedLeg, LegAnswer<Answer>>({
    legs: plan.legs,
    deadlineMs: Math.max(0, question.deadlineMs - (clock.now() - startedAt)),
    clock,
    ...(question.signal === undefined ? {} : { signal: question.signal }),
    // Each leg wipes its secret when its own call ends, which may be after the answer returned.
    query: (leg, signal, keepInterim) => {
      requested.add(leg.connection.id);
      return queryLeg(
        question,
        { leg, credentials, project, signal, mayRead: mayReadOf(leg), endsAt },
        keepInterim,
      ).finally(() => wipe(credentials?.get(leg.connection.id)));
    },
    ...(question.isEarly === true ? { early: earlyBy(question, project) } : {}),
    onSettled: (outcome, settled) => {
      const { id } = outcome.leg.connection;
      breakers.noteAnswer(id, outcome.row);
      // The answers of others left no room for this one: its seller is not at fault.
      if (unread.has(id)) breakers.settle(outcome.leg.ticket, 'abandoned', clock.now());
      else settleTicket(breakers, outcome, credentials?.get(id), clock.now());
      if (outcome.value?.answer !== undefined) question.onAnswer?.(legOf(outcome.leg, outcome.value));
      reportProgress(question, outcome.row, plan.skipped.length + settled, total);
    },
  });
  // If the caller left before the legs started, their secrets are wiped here.
  for (const [id, credential] of credentials ?? []) if (!requested.has(id)) wipe(credential);
  return gather(connections, plan.skipped, outcomes);
}

/** Ends the wait once only sellers are missing that usually answer late: each is asked again later, by its operation. */
function earlyBy<Request, Answer>(
  { breakers }: Pick<MarketQuestion<Request, Answer>, 'breakers'>,
  project: ReturnType<typeof projectRequests<Request, Answer>>,
): (open: readonly PlannedLeg[]) => ((leg: PlannedLeg) => LegReport<LegAnswer<Answer>>) | undefined {
  const report = ({ connection, tool }: PlannedLeg): LegReport<LegAnswer<Answer>> => {
    const { args } = shapeArgs(project(connection).args, connection.tools?.[tool]);
    return {
      status: 'slow',
      reason: 'It usually answers late, and an early answer was asked for.',
      code: cutOffCodes.later,
      items: 0,
      value: { setAside: [], findings: [], pending: { status: 'pending', args } },
    };
  };
  return (open) =>
    open.every(({ connection }) => breakers.isUsuallyLate(connection.id)) ? report : undefined;
}

function wipe(credential: LeasedCredential | undefined): void {
  credential?.secret.wipe();
  credential?.instead?.secret.wipe();
}

/** Returns `undefined` if the vault did not lease the credentials. */
async function leaseAll<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  legs: readonly PlannedLeg[],
): Promise<ReadonlyMap<string, LeasedCredential> | undefined> {
  const wanting = legs
    .map((leg) => leg.connection)
    .filter((connection) => connection.credentialId !== undefined);
  if (wanting.length === 0) return new Map();
  try {
    return await question.leaseCredentials(wanting);
  } catch {
    return undefined;
  }
}

function reportProgress<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  row: SellerRow,
  settled: number,
  total: number,
): void {
  try {
    question.onSeller?.(row, settled, total);
  } catch {
    // An observer's error must not fail the answer.
  }
}

const legOf = <Answer>({ connection, seller }: PlannedLeg, value: LegAnswer<Answer>): MarketLeg<Answer> => ({
  connection,
  ...value,
  seller,
});

function gather<Answer>(
  connections: readonly Connection[],
  skippedRows: readonly SellerRow[],
  outcomes: readonly LegOutcome<PlannedLeg, LegAnswer<Answer>>[],
): MarketAnswer<Answer> {
  const rowOf = new Map<string, SellerRow>();
  for (const row of skippedRows) rowOf.set(row.seller, row);
  for (const { row } of outcomes) rowOf.set(row.seller, row);
  const legs = outcomes.flatMap(({ leg, value }): MarketLeg<Answer>[] =>
    value === undefined ? [] : [legOf(leg, value)],
  );
  return {
    legs,
    rows: connections.flatMap(({ slug }) => rowOf.get(slug) ?? []),
    pending: legs.flatMap(({ connection, pending }) =>
      pending === undefined ? [] : [{ connection, task: pending }],
    ),
  };
}

/** Statuses of 4xx that say something about the seller or its load, whatever the request holds. */
const ofSeller: ReadonlySet<number> = new Set([404, 405, 408, 410, 425, 429]);

/** Whether a seller answered that it does not take this request: what a caller wrote must not close it to the others. */
function refusesRequest({ code, httpStatus = 0, egress }: TransportFailure): boolean {
  if (code === 'http_error') return httpStatus >= 400 && httpStatus < 500 && !ofSeller.has(httpStatus);
  return code === 'protocol_error' && egress === undefined;
}

/**
 * Reports the result of a leg to the breaker.
 *
 * Only results that delay the next query count as failures: no answer, broken connections, server errors. A seller that
 * answers, even with a refusal or an invalid payload, stays available. A 401 pauses the credential and has no effect on
 * the breaker.
 */
function settleTicket<Answer>(
  board: BreakerBoard,
  outcome: LegOutcome<PlannedLeg, LegAnswer<Answer>>,
  credential: CredentialVersion | undefined,
  at: Instant,
): void {
  const { ticket } = outcome.leg;
  const failure = outcome.value?.failure;
  if (failure?.code === 'unauthorized' && credential !== undefined) {
    board.pauseCredential(ticket, credential, at);
  }
  board.settle(ticket, verdictOn(board, outcome), at, failure?.code ?? outcome.row.code?.toLowerCase());
}

function verdictOn<Answer>(
  board: BreakerBoard,
  { row, value }: LegOutcome<PlannedLeg, LegAnswer<Answer>>,
): Verdict {
  if (row.code === cutOffCodes.callerGone || row.code === cutOffCodes.later) return 'abandoned';
  if (row.status === 'slow') return board.verdictOnSlow(row.elapsed_ms);
  // No value: the call was not sent, or failed on our side.
  if (value === undefined) return 'abandoned';
  if (value.failure !== undefined && refusesRequest(value.failure)) return 'ok';
  switch (value.failure?.code) {
    case undefined:
    case 'unauthorized':
    case 'malformed':
      return 'ok';
    case 'aborted':
    case 'credential_in_args':
    case 'stopped':
      return 'abandoned';
    default:
      return 'failed';
  }
}
