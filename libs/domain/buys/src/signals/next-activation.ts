import type { Deployment } from '@switchyard/protocol';
import { defined, type Instant } from '@switchyard/values';
import type { Activation, SegmentAt } from '../model/activation.js';
import { isActivationMove, reportedActivation, type ActivationRequest } from './activation-states.js';

const minuteMs = 60_000;
const soonestLookMs = 30_000;
const latestLookMs = 300_000;

/**
 * The next state of an activation after a report of its agent.
 *
 * A state that cannot follow the stored one is refused, and the stored one stays. An agent that repeats its estimate
 * has not made a new one: the time still counts from the first.
 */
export function nextActivation(
  segment: SegmentAt,
  deployment: Deployment,
  {
    known,
    requested,
    at,
  }: { readonly known: Activation | undefined; readonly requested: ActivationRequest; readonly at: Instant },
): Activation {
  const { isLive, activationKey, deployedAt, estimatedMinutes, type, platform, agentUrl, account } =
    deployment;
  const target = {
    type,
    ...defined({ platform, agentUrl, account }),
  };
  const base = {
    connectionId: segment.connectionId,
    segmentId: segment.segmentId,
    target,
    observedAt: at,
  };
  const from = known?.state ?? 'off';
  const to = reportedActivation(from, isLive, requested);
  if (!isActivationMove(from, to, requested))
    return { ...base, state: 'off', ...known, observedAt: at, refused: { from, to } };
  if (to === 'live') {
    // An agent may leave the key out of an answer that repeats an earlier one.
    const key = activationKey ?? (known?.state === 'live' ? known.key : undefined);
    return {
      ...base,
      state: 'live',
      ...defined({ key, deployedAt }),
    };
  }
  if (to === 'off') return { ...base, state: 'off' };
  return { ...base, state: 'activating', ...estimate(known, estimatedMinutes, at) };
}

function estimate(
  known: Activation | undefined,
  minutes: number | undefined,
  at: Instant,
): Pick<Activation, 'estimatedAt' | 'readyAt' | 'nextPollAt'> {
  const isUnderWay = known?.state === 'activating';
  const { estimatedAt, readyAt } = isUnderWay ? known : {};
  const reported =
    estimatedAt === undefined || readyAt === undefined ? undefined : (readyAt - estimatedAt) / minuteMs;
  if (minutes === undefined || minutes === reported) {
    return {
      ...defined({ estimatedAt, readyAt }),
      nextPollAt: at + pauseOf(reported),
    };
  }
  return { estimatedAt: at, readyAt: at + Math.round(minutes * minuteMs), nextPollAt: at + pauseOf(minutes) };
}

/** A quarter of the estimate, within bounds, in milliseconds (docs/protocol/signals.md#activation). */
function pauseOf(minutes: number | undefined): number {
  const wanted = minutes === undefined ? latestLookMs : (minutes * minuteMs) / 4;
  return Math.min(Math.max(wanted, soonestLookMs), latestLookMs);
}

/** A deployment at `now`, with the rest of its estimate. Zero minutes do not mean live. */
export function countedDown(deployment: Deployment, known: Activation | undefined, now: Instant): Deployment {
  if (deployment.isLive || known?.state !== 'activating' || known.readyAt === undefined) return deployment;
  return { ...deployment, estimatedMinutes: Math.max(0, Math.ceil((known.readyAt - now) / minuteMs)) };
}
