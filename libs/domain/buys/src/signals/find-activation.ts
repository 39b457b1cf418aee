import { activateSignal } from '@switchyard/protocol';
import type { Looked } from '../observe/find-buy-at-seller.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../send/run-leg.js';
import { targetKey } from './activation.js';
import { requestedActivation } from './requested-activation.js';
import { findSignalAtSeller } from './find-signal-at-seller.js';

/**
 * Reads at a signals agent whether a leg's request is fulfilled: live at every requested destination, or, for
 * a deactivation, at none. Anything in between proves nothing.
 */
export async function findActivation(
  ports: Pick<BuysPorts, 'transport'>,
  leg: Leg,
  run: LegRun,
): Promise<Looked> {
  const requested = requestedActivation(leg);
  if (requested === undefined) return { kind: 'no_way' };
  const { segmentId, destinations, action } = requested;
  const shown = await findSignalAtSeller(ports, leg, run, { segmentId, targets: destinations });
  if (shown === undefined) return { kind: 'no_answer' };
  const wanted = action !== 'deactivate';
  const states = new Map(shown.map((one) => [targetKey(one), one.isLive]));
  if (!destinations.every((target) => states.get(targetKey(target)) === wanted)) return { kind: 'not_found' };
  return {
    kind: 'found',
    payload: activateSignal.projectAnswer({ deployments: shown, warnings: [] }, leg.profile),
  };
}
