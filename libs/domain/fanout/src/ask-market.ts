import type { Finding, SellerRow, TaskSpec } from '@switchyard/protocol';
import type { BreakerBoard, Bulkhead, Connection, SellerTarget, SellerTransport } from '@switchyard/sellers';
import type { Clock, JsonObject } from '@switchyard/values';
import { askSeller, type LegAnswer, type PendingTask } from './ask-seller.js';
import { fanOut, type LegOutcome } from './fan-out.js';
import { planMarket, type PlannedLeg } from './plan-market.js';
import { settleTicket } from './settle-ticket.js';
import type { LegReport } from './leg-report.js';

export type LeasedCredential = NonNullable<SellerTarget['credential']>;

export interface MarketQuestion<Request, Answer> {
  readonly spec: TaskSpec<Request, Answer>;
  readonly request: Request;
  /** A request of its own for each connection, where the ids it names differ by seller. */
  readonly requestFor?: (connection: Connection) => Request;
  /** Every connection of the organization, in the order in which rows are shown. */
  readonly connections: readonly Connection[];
  readonly transport: SellerTransport;
  /**
   * Leases the credentials of all these connections in one go, by connection id. Connections without a credential
   * are not among them. When it rejects, legs that need one fail and the others go on.
   */
  readonly leaseCredentials: (
    connections: readonly Connection[],
  ) => Promise<ReadonlyMap<string, LeasedCredential>>;
  readonly breakers: BreakerBoard;
  readonly bulkhead: Bulkhead;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** For the whole question, leasing included, in milliseconds. */
  readonly deadlineMs: number;
  /** Told of each row as it settles, the skipped ones first. */
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
  /** How many items an answer holds. */
  readonly count: (answer: Answer) => number;
}

/** What one seller that was asked brought. */
export interface MarketLeg<Answer> extends LegAnswer<Answer> {
  readonly seller: string;
  readonly connection: Connection;
}

export interface MarketAnswer<Answer> {
  /** One per seller that was asked and came back with anything, in the order of the connections. */
  readonly legs: readonly MarketLeg<Answer>[];
  /** One per seller that could have been asked, in the order of the connections. */
  readonly rows: readonly SellerRow[];
  /** Sellers that will answer later. */
  readonly pending: readonly { readonly connection: Connection; readonly task: PendingTask }[];
}

/**
 * Asks every seller that can serve a read, and resolves when all have settled or the deadline has come. Nothing is
 * cached between a question and the market, and nothing that a seller does makes it reject.
 */
export async function askMarket<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): Promise<MarketAnswer<Answer>> {
  const { breakers, clock, connections, spec } = question;
  const startedAt = clock.now();
  const plan = planMarket(spec, connections, breakers, startedAt);
  const total = plan.legs.length + plan.skipped.length;
  for (const [index, row] of plan.skipped.entries()) question.onSeller?.(row, index + 1, total);
  const credentials = await leaseAll(question, plan.legs);
  const project = projections(question);
  const outcomes = await fanOut<PlannedLeg, LegAnswer<Answer>>({
    legs: plan.legs,
    deadlineMs: Math.max(0, question.deadlineMs - (clock.now() - startedAt)),
    clock,
    ...(question.signal === undefined ? {} : { signal: question.signal }),
    ask: (leg, signal) => askLeg(question, leg, credentials, project, signal),
    onSettled: (outcome, settled) => {
      settleTicket(breakers, outcome, credentials?.get(outcome.leg.connection.id), clock.now());
      question.onSeller?.(outcome.row, plan.skipped.length + settled, total);
    },
  });
  return gather(connections, plan.skipped, outcomes);
}

type Projected = { readonly args: JsonObject; readonly findings: readonly Finding[] };

/** One projection per voice, not per seller: five hundred sellers speak a handful of voices. */
function projections<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
): (connection: Connection) => Projected {
  const byVoice = new Map<string, Projected>();
  return (connection) => {
    const voice = { dialect: connection.dialect, form: connection.form };
    const own = question.requestFor?.(connection);
    if (own !== undefined || connection.account !== undefined) {
      const account = connection.account === undefined ? {} : { account: connection.account };
      return question.spec.projectRequest({ ...(own ?? question.request), ...account }, voice);
    }
    const name = `${voice.dialect} ${voice.form}`;
    const known = byVoice.get(name);
    if (known !== undefined) return known;
    const projected = question.spec.projectRequest(question.request, voice);
    byVoice.set(name, projected);
    return projected;
  };
}

/** `undefined` when the vault gave nothing out. */
async function leaseAll<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  legs: readonly PlannedLeg[],
): Promise<ReadonlyMap<string, LeasedCredential> | undefined> {
  const wanting = legs.map((leg) => leg.connection).filter((one) => one.credentialId !== undefined);
  if (wanting.length === 0) return new Map();
  try {
    return await question.leaseCredentials(wanting);
  } catch {
    return undefined;
  }
}

async function askLeg<Request, Answer>(
  question: MarketQuestion<Request, Answer>,
  leg: PlannedLeg,
  credentials: ReadonlyMap<string, LeasedCredential> | undefined,
  project: (connection: Connection) => Projected,
  signal: AbortSignal,
): Promise<LegReport<LegAnswer<Answer>>> {
  const { connection, tool } = leg;
  const { organizationId, id } = connection;
  const credential = credentials?.get(id);
  if (connection.credentialId !== undefined && credential === undefined) {
    return skipped('failed', 'Its credential could not be read from the vault.', 'CREDENTIAL_UNAVAILABLE');
  }
  const now = question.clock.now();
  if (credential !== undefined && question.breakers.isPaused(leg.ticket, credential, now)) {
    return skipped('skipped', 'The seller refused our credential a moment ago.', 'CREDENTIAL_PAUSED');
  }
  if (!question.bulkhead.enter(organizationId, id)) {
    return skipped('skipped', 'Too many calls to this seller are under way.', 'BULKHEAD_FULL');
  }
  try {
    return await askSeller({
      spec: question.spec,
      connection,
      tool,
      projected: project(connection),
      ...(credential === undefined ? {} : { credential }),
      transport: question.transport,
      count: question.count,
      signal,
    });
  } finally {
    question.bulkhead.leave(organizationId, id);
  }
}

function skipped(status: 'skipped' | 'failed', reason: string, code: string): LegReport<never> {
  return { status, reason, code, items: 0 };
}

function gather<Answer>(
  connections: readonly Connection[],
  skippedRows: readonly SellerRow[],
  outcomes: readonly LegOutcome<PlannedLeg, LegAnswer<Answer>>[],
): MarketAnswer<Answer> {
  const rowOf = new Map<string, SellerRow>();
  for (const row of skippedRows) rowOf.set(row.seller, row);
  for (const { row } of outcomes) rowOf.set(row.seller, row);
  const legs = outcomes.flatMap(({ leg, value }): MarketLeg<Answer>[] =>
    value === undefined ? [] : [{ ...value, seller: leg.seller, connection: leg.connection }],
  );
  return {
    legs,
    rows: connections.flatMap(({ slug }) => rowOf.get(slug) ?? []),
    pending: legs.flatMap(({ connection, pending }) =>
      pending === undefined ? [] : [{ connection, task: pending }],
    ),
  };
}
