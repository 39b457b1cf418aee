import type { ActivationState } from './activation.js';

/** What was asked before an agent said how a signal stands. */
export type Asked = 'activate' | 'deactivate' | 'look';

/** What may follow each state of a signal at one place, by what was asked (docs/protocol/signals.md#activation). */
const next: Readonly<Record<Asked, Readonly<Record<ActivationState, readonly ActivationState[]>>>> = {
  activate: {
    off: ['activating', 'live'],
    activating: ['activating', 'live'],
    // Live somewhere is not live for good: what is asked for again may have to be made again.
    live: ['live', 'activating'],
  },
  // What was taken back is gone: an agent that says that it is done and leaves it live has not done it.
  deactivate: { off: ['off'], activating: ['off'], live: ['off'] },
  look: {
    // Somebody else who buys there has activated it.
    off: ['off', 'live'],
    activating: ['activating', 'live', 'off'],
    // Removed by who offers it.
    live: ['live', 'off'],
  },
};

/** Whether one state may follow another. */
export function isActivationMove(from: ActivationState, to: ActivationState, requested: Asked): boolean {
  return next[requested][from].includes(to);
}

/**
 * The state that an agent's word comes to. Not live after a request to activate is under way; not live when nobody
 * asked is off, unless it was under way already.
 */
export function reportedActivation(
  from: ActivationState,
  isLive: boolean,
  requested: Asked,
): ActivationState {
  if (isLive) return 'live';
  return requested === 'activate' || (requested === 'look' && from === 'activating') ? 'activating' : 'off';
}
