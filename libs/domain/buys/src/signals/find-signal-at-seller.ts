import { getSignals, type Deployment, type DeploymentTarget } from '@switchyard/protocol';
import { callSeller } from '../send/call-seller.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../send/run-leg.js';
import { targetKey } from './activation.js';
import { querySignal } from './query-signal.js';

/**
 * Reads the state of a signal at these destinations from its agent. Undefined where the agent did not answer;
 * destinations that it does not show are absent.
 */
export async function findSignalAtSeller(
  { transport }: Pick<BuysPorts, 'transport'>,
  { profile }: Pick<Leg, 'profile'>,
  run: Pick<LegRun, 'connection' | 'credential' | 'signer' | 'signal'>,
  { segmentId, targets }: { readonly segmentId: string; readonly targets: readonly DeploymentTarget[] },
): Promise<readonly Deployment[] | undefined> {
  const { args } = getSignals.projectRequest(querySignal(run.connection, segmentId, targets), profile);
  const reported = await callSeller(transport, run, { task: getSignals.name, args }, run.signal);
  const read = reported.ok ? getSignals.readAnswer(reported.value.reply.payload, profile) : undefined;
  if (read?.ok !== true) return undefined;
  const wanted = new Set(targets.map(targetKey));
  return read.value.answer.signals
    .filter((signal) => signal.segmentId === segmentId)
    .flatMap(({ deployments }) => deployments)
    .filter((one) => wanted.has(targetKey(one)));
}
