import type { ActivationState } from '../model/activation.js';

/** The request before an agent reported the state of a signal. */
export type ActivationRequest = 'activate' | 'deactivate' | 'poll';

/** Allowed next states of a signal at one destination, by request (docs/protocol/signals.md#activation). */
const next: Readonly<
  Record<ActivationRequest, Readonly<Record<ActivationState, readonly ActivationState[]>>>
> = {
  activate: {
    off: ['activating', 'live'],
    activating: ['activating', 'live'],
    // A live signal may end; activating it again may take time.
    live: ['live', 'activating'],
  },
  // A deactivated signal is off: an agent that reports success and leaves it live has not deactivated it.
  deactivate: { off: ['off'], activating: ['off'], live: ['off'] },
  poll: {
    // Another customer of the same account activated it.
    off: ['off', 'live'],
    activating: ['activating', 'live', 'off'],
    // Removed by its provider.
    live: ['live', 'off'],
  },
};

/** Whether one state may follow another. */
export function isActivationMove(
  from: ActivationState,
  to: ActivationState,
  requested: ActivationRequest,
): boolean {
  return next[requested][from].includes(to);
}

/**
 * The state after an agent's report. Not live after an activation request means activating; not live without
 * a request means off, unless it was activating already.
 */
export function reportedActivation(
  from: ActivationState,
  isLive: boolean,
  requested: ActivationRequest,
): ActivationState {
  if (isLive) return 'live';
  return requested === 'activate' || (requested === 'poll' && from === 'activating') ? 'activating' : 'off';
}
