import {
  EndpointBreaker,
  endpointOf,
  judgeAttempt,
  nextAttemptAt,
  planReports,
  type AttemptResult,
  type ClaimedEvent,
  type OutboxStore,
} from '@switchyard/events';
import type { IdSource } from '@switchyard/buys';
import type { DueWork, ReportStreams } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { noTracing, type Tracing } from '@switchyard/telemetry';
import { sendEvent, type SendDeps } from './send-event.js';
import type { TellDeps } from './tell-subscribers.js';

export interface DispatchDeps extends SendDeps {
  readonly outbox: OutboxStore;
  readonly streams: ReportStreams;
  readonly due: DueWork;
  /** Those who are told of changes of this agent; absent in suites without them. */
  readonly subscribers?: TellDeps;
  readonly ids: Pick<IdSource, 'uuid'>;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Absent: no traces. */
  readonly tracing?: Tracing;
  /** Called after each attempt that was made. */
  readonly onAttempt?: (attempt: {
    readonly organization: string;
    readonly webhook: string;
    readonly kind: string;
    readonly attempt: number;
    readonly outcome: string;
    readonly duration_ms: number;
  }) => void;
}

export interface Dispatch {
  /** Writes the due reports and starts the due attempts; resolves once they have started. */
  round(): Promise<void>;
  /** Resolves when no attempt is running. */
  idle(): Promise<void>;
  /** Aborts running attempts, which the next process repeats, and starts no more. */
  stop(): Promise<void>;
}

/** How often due work is searched, in milliseconds. */
const roundMs = 1_000;
/** The most concurrent attempts, in total, and of one tenant, whose receivers may all hang. */
const attemptsAtOnce = 64;
const attemptsOfOne = 48;
/** Media buys whose reports are written in one transaction. */
const streamsAtOnce = 16;
/** When an event that an emergency stop held is tried again, in milliseconds. */
const stoppedPauseMs = 1_000;
/** Longer than an attempt can take, in milliseconds: after it, another process may take the event. */
const leaseMs = 30_000;

/**
 * Sends webhooks to buyers. Attempts are concurrent and no round waits for them, so a hanging receiver delays only
 * itself, and the receivers of one tenant delay no other tenant. All state is in rows: a crash loses only one attempt.
 */
export function startDispatch(deps: DispatchDeps): Dispatch {
  const breaker = new EndpointBreaker();
  const stopping = new AbortController();
  const underway = new Set<Promise<void>>();
  const outOf = new Map<string, number>();
  const count = (organizationId: string, change: 1 | -1): void => {
    const out = (outOf.get(organizationId) ?? 0) + change;
    if (out > 0) outOf.set(organizationId, out);
    else outOf.delete(organizationId);
  };
  let turn = 0;
  const round = async (): Promise<void> => {
    const now = deps.clock.now();
    const due = await deps.due.find({ outbox: now, report_streams: now });
    const ids = [...new Set(due.map(({ organizationId }) => organizationId))];
    // Starts with another tenant each time, so that none is always last when places are few.
    const first = ids.length === 0 ? 0 : turn++ % ids.length;
    for (const organizationId of [...ids.slice(first), ...ids.slice(0, first)]) {
      const places = attemptsAtOnce - underway.size;
      if (stopping.signal.aborted || places <= 0) return;
      const free = Math.min(places, attemptsOfOne - (outOf.get(organizationId) ?? 0));
      await roundOf(deps, { organizationId }, free, (event, scope) => {
        count(organizationId, 1);
        const attempt = makeAttempt(deps, breaker, { scope, event }, stopping.signal)
          .catch((error: unknown) => deps.onUnexpected(error, `webhook ${event.id}`))
          .finally(() => {
            underway.delete(attempt);
            count(organizationId, -1);
          });
        underway.add(attempt);
      });
    }
  };
  let rounds = Promise.resolve();
  let cancel = (): void => undefined;
  const next = (): Promise<void> => (rounds = rounds.then(round, round));
  const repeat = (): void => {
    next()
      .catch((error: unknown) => deps.onUnexpected(error, 'sending webhooks'))
      .then(() => {
        if (!stopping.signal.aborted) cancel = deps.clock.after(roundMs, repeat);
      })
      .catch(() => undefined);
  };
  repeat();
  return {
    round: next,
    idle: async () => {
      while (underway.size > 0) await Promise.all(underway);
    },
    stop: async () => {
      stopping.abort();
      cancel();
      await rounds.catch(() => undefined);
      await Promise.all(underway);
    },
  };
}

async function roundOf(
  deps: DispatchDeps,
  scope: TenantScope,
  free: number,
  start: (event: ClaimedEvent, scope: TenantScope) => void,
): Promise<void> {
  const { outbox, streams, clock, ids } = deps;
  const now = clock.now();
  try {
    const newIds = () => ({ id: ids.uuid(), idempotencyKey: ids.uuid() });
    await streams.writeDue(scope, now, streamsAtOnce, (facts) => planReports(facts, now, newIds));
  } catch (error) {
    // A stream that cannot be read must not delay reports that are already written.
    deps.onUnexpected(error, 'writing reports to buyers');
  }
  if (free <= 0) return;
  for (const event of await outbox.claim(scope, now, now + leaseMs, free)) start(event, scope);
}

async function makeAttempt(
  deps: DispatchDeps,
  breaker: EndpointBreaker,
  { scope, event }: { readonly scope: TenantScope; readonly event: ClaimedEvent },
  signal: AbortSignal,
): Promise<void> {
  const { outbox, clock } = deps;
  const endpoint = `${scope.organizationId} ${endpointOf(event.registration.url)}`;
  const startedAt = clock.now();
  const parkedUntil = breaker.parkedUntil(endpoint, startedAt);
  if (parkedUntil !== undefined) return outbox.park(scope, event, parkedUntil);
  const result = await attempted(deps, scope, event, signal);
  const completedAt = clock.now();
  if (result.kind === 'stopped') {
    breaker.release(endpoint);
    return outbox.park(scope, event, completedAt + stoppedPauseMs);
  }
  const judgement = judgeAttempt(result, event.kind, completedAt);
  const isMissing = judgement.isMissing === true;
  // An attempt that was not sent says nothing about the receiver.
  if (result.kind === 'unsigned' || signal.aborted) breaker.release(endpoint);
  else breaker.record(endpoint, judgement.verdict !== 'retry' || isMissing, completedAt);
  const dueAt =
    judgement.verdict === 'retry'
      ? nextAttemptAt({
          attempt: event.attempt,
          createdAt: event.createdAt,
          now: completedAt,
          random: deps.random(),
          ...(judgement.retryAfterMs === undefined ? {} : { retryAfterMs: judgement.retryAfterMs }),
          ...(isMissing && { missingSince: event.missingSince ?? completedAt }),
        })
      : undefined;
  const ended = isMissing ? 'refused' : judgement.verdict === 'retry' ? 'expired' : judgement.verdict;
  deps.onAttempt?.({
    organization: scope.organizationId,
    webhook: event.id,
    kind: event.kind,
    attempt: event.attempt,
    outcome: dueAt === undefined ? ended : 'waiting',
    duration_ms: completedAt - startedAt,
  });
  await outbox.settle(scope, {
    eventId: event.id,
    attempt: event.attempt,
    judgement,
    completedAt,
    responseMs: completedAt - startedAt,
    state: dueAt === undefined ? ended : 'waiting',
    ...(result.kind === 'unsigned' || result.payloadBytes === undefined
      ? {}
      : { payloadBytes: result.payloadBytes }),
    ...(dueAt === undefined ? {} : { dueAt }),
  });
}

/** A failure on our side does not end the event: it is tried again. */
async function attempted(
  deps: DispatchDeps,
  scope: TenantScope,
  event: ClaimedEvent,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const { tracing = noTracing } = deps;
  const attributes = {
    'switchyard.organization': scope.organizationId,
    'switchyard.operation': event.operationId,
  };
  try {
    return await tracing.run('outbox send', { attributes, causedBy: event.traceParent }, async (span) => {
      const result = await sendEvent(deps, scope, event, signal);
      span.set({ 'switchyard.outcome': result.kind });
      return result;
    });
  } catch (error) {
    deps.onUnexpected(error, `webhook ${event.id}`);
    return { kind: 'unsigned' };
  }
}
