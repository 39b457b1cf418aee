import { type DeploymentTarget, type GetSignalsRequest, hasFeature } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

const wordBreaks = /[^\p{L}\p{N}]+/gu;

/**
 * The question how one signal stands at some places, as its agent is asked it (docs/protocol/signals.md#activation).
 */
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
    // The older forms have no way to name a signal: the words of its id have to find it.
    ...(hasFeature(form, 'signalIds') && /^[\w-]+$/.test(segmentId)
      ? { signalIds: [{ source: 'agent', agent_url: agentUrl, id: segmentId }] }
      : {}),
  };
}
