import type { Connection, PrincipalSigner } from '@switchyard/sellers';
import type { TenantScope } from '@switchyard/tenancy';
import { defined, type Clock } from '@switchyard/values';
import { activateSignal } from '@switchyard/protocol';
import { followLeg } from './follow-leg.js';
import { isSettled } from '../model/leg-state.js';
import type { Leg } from '../model/operation.js';
import type { OperationState } from '../model/operation-state.js';
import type { BuysPorts, LegSecrets } from '../model/ports.js';
import type { Refreezes } from '../call/reencode.js';
import { pauseBeforeRetryMs } from '../call/send-with-retries.js';
import { hasAnswered, runLeg } from './run-leg.js';
import { sendTimeoutMs } from '../call/leg-run.js';

/** Milliseconds between two reads of a leg that may end soon. */
const pollMs = 250;

interface RunLegs {
  readonly connections: ReadonlyMap<string, Connection>;
  readonly secrets: ReadonlyMap<string, LegSecrets>;
  /** Signer of the principal that made the request. */
  readonly signer?: PrincipalSigner;
  /** Functions that encode each leg again for a seller whose version changed. */
  readonly again?: Refreezes;
  /** How long the buyer waits, in milliseconds. A running call is not aborted at the end. */
  readonly deadlineMs: number;
  /** Called for each leg when its seller has answered, in the order of the answers. */
  readonly onAnswered?: (leg: Leg) => void;
}

/**
 * Runs the legs of a stored operation in parallel until each seller has answered or the deadline ends.
 *
 * A leg without an outcome is tried again within the deadline; afterwards the follower continues. Neither a
 * disconnect of the buyer nor the deadline aborts a call: an aborted mutation would have an unknown outcome.
 */
export async function runLegs(
  ports: BuysPorts,
  scope: TenantScope,
  begun: OperationState,
  run: RunLegs,
): Promise<OperationState> {
  const endsAt = ports.clock.now() + run.deadlineMs;
  const sent = begun.legs.filter((leg) => leg.status !== 'held');
  await withinTime(ports.clock, runAll(ports, scope, sent, { run, endsAt }), run.deadlineMs);
  const state = (await ports.store.state(scope, begun.operation.id)) ?? begun;
  const letGo = state.legs.filter((leg) => leg.status === 'pending' && !sent.some(({ id }) => id === leg.id));
  const timeMs = endsAt - ports.clock.now();
  if (letGo.length === 0 || timeMs <= 0) return state;
  await withinTime(ports.clock, runAll(ports, scope, letGo, { run, endsAt }), timeMs);
  return (await ports.store.state(scope, begun.operation.id)) ?? state;
}

async function runAll(
  ports: BuysPorts,
  scope: TenantScope,
  legs: readonly Leg[],
  { run, endsAt }: { readonly run: RunLegs; readonly endsAt: number },
): Promise<void> {
  const running = legs.map((leg) =>
    runUntil(ports, scope, leg, { run, endsAt }).catch((cause: unknown) => {
      // The leg is stored, so the follower continues with it; other legs are not affected.
      const message = 'The leg could not be run to its end and is left to the follower.';
      ports.notice({ code: 'LEG_INTERRUPTED', seller: leg.seller, legId: leg.id, message, cause });
    }),
  );
  await Promise.all(running);
}

async function runUntil(
  ports: BuysPorts,
  scope: TenantScope,
  leg: Leg,
  { run, endsAt }: { readonly run: RunLegs; readonly endsAt: number },
): Promise<void> {
  const connection = run.connections.get(leg.connectionId);
  if (connection === undefined) throw new Error(`Leg ${leg.id} names a connection that was not loaded.`);
  let isNotified = false;
  for (let attempt = 1; ports.clock.now() < endsAt; attempt += 1) {
    const stop = new AbortController();
    const cancel = ports.clock.after(sendTimeoutMs, () => stop.abort());
    const sending = {
      connection,
      signal: stop.signal,
      ...run.secrets.get(leg.connectionId),
      ...defined({ signer: run.signer, again: run.again }),
    };
    const state = await (attempt === 1 ? runLeg : followLeg)(ports, scope, leg.id, sending).finally(cancel);
    const after = state?.legs.find(({ id }) => id === leg.id);
    // Until it has settled it is read again, because a webhook or the follower may have changed it.
    const now = after !== undefined && isSettled(after) ? after : await ports.store.leg(scope, leg.id);
    // An emergency stop holds it: it is sent when the stop ends, and this call does not wait for that.
    if (now?.status === 'pending') return;
    const isAnswered = now !== undefined && hasAnswered(now);
    if (isAnswered && !isNotified) run.onAnswered?.(now);
    isNotified ||= isAnswered;
    if (isAnswered && !mayEndSoon(now)) return;
    const at = ports.clock.now();
    // The seller may have requested a pause.
    const requestedMs = isAnswered ? 0 : (now?.nextPollAt ?? at) - at;
    const pauseMs = Math.min(Math.max(pauseBeforeRetryMs(attempt), requestedMs), endsAt - at);
    if (!isAnswered) await pause(ports.clock, pauseMs);
    else if (await endsWithin(ports, scope, leg, pauseMs)) return;
  }
}

/** Reads the stored leg until it has settled, for example by a webhook, or the time ends. */
async function endsWithin(
  { store, clock }: Pick<BuysPorts, 'store' | 'clock'>,
  scope: TenantScope,
  { id }: Leg,
  timeMs: number,
): Promise<boolean> {
  const until = clock.now() + timeMs;
  while (clock.now() < until) {
    await pause(clock, Math.min(pollMs, until - clock.now()));
    const now = await store.leg(scope, id);
    if (now !== undefined && isSettled(now)) return true;
  }
  return false;
}

function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve);
  });
}

/** Resolves when the work has settled or the time ends, whichever is first. */
async function withinTime(clock: Clock, work: Promise<unknown>, timeMs: number): Promise<void> {
  let cancel = (): void => undefined;
  const timeUp = new Promise<void>((resolve) => {
    cancel = clock.after(timeMs, resolve);
  });
  await Promise.race([work, timeUp]);
  cancel();
}

/** Agents report whole minutes: seconds are reported as one minute. */
const soonMinutes = 1;

/**
 * Whether a started activation may end while its buyer still waits. True for agents without an estimate;
 * false where the estimate is longer.
 */
function mayEndSoon(leg: Leg): boolean {
  if (leg.task !== activateSignal.name) return false;
  if (leg.status !== 'submitted' && leg.status !== 'working') return false;
  const read = activateSignal.readAnswer(leg.answer ?? {}, leg.profile);
  const estimates = read.ok
    ? read.value.answer.deployments.map((deployment) => deployment.estimatedMinutes)
    : [];
  return estimates.every((minutes) => minutes === undefined || minutes <= soonMinutes);
}
