import {
  getSignals,
  type Deployment,
  type DeploymentTarget,
  activateSignal,
  type GetSignalsRequest,
  hasFeature,
} from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { callSeller } from '../call/call-seller.js';
import type { Leg } from '../model/operation.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../call/leg-run.js';
import { targetKey } from '../model/activation.js';
import type { SearchResult } from './search-result.js';
import { requestedActivation } from '../signals/activation-answer.js';

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
    .filter((deployment) => wanted.has(targetKey(deployment)));
}

/**
 * Reads at a signals agent whether a leg's request is fulfilled: live at every requested destination, or, for
 * a deactivation, at none. Anything in between proves nothing.
 */
export async function findActivation(
  ports: Pick<BuysPorts, 'transport'>,
  leg: Leg,
  run: LegRun,
): Promise<SearchResult> {
  const requested = requestedActivation(leg);
  if (requested === undefined) return { kind: 'no_way' };
  const { segmentId, destinations, action } = requested;
  const shown = await findSignalAtSeller(ports, leg, run, { segmentId, targets: destinations });
  if (shown === undefined) return { kind: 'no_answer' };
  const wanted = action !== 'deactivate';
  const states = new Map(shown.map((deployment) => [targetKey(deployment), deployment.isLive]));
  if (!destinations.every((target) => states.get(targetKey(target)) === wanted)) return { kind: 'not_found' };
  return {
    kind: 'found',
    payload: activateSignal.projectAnswer({ deployments: shown, warnings: [] }, leg.profile),
  };
}

const wordBreaks = /[^\p{L}\p{N}]+/gu;

/** The request for the state of one signal at some destinations (docs/protocol/signals.md#activation). */
export function querySignal(
  { form, agentUrl, account }: Connection,
  segmentId: string,
  destinations: readonly DeploymentTarget[],
): GetSignalsRequest {
  return {
    signalSpec: segmentId.replace(wordBreaks, ' ').trim(),
    destinations,
    countries: [],
    ...(account === undefined ? {} : { account }),
    // Older forms cannot name a signal: the text of its id has to find it.
    ...(hasFeature(form, 'signalIds') && /^[\w-]+$/.test(segmentId)
      ? { signalIds: [{ source: 'agent', agent_url: agentUrl, id: segmentId }] }
      : {}),
  };
}
