import { type DeploymentTarget, type GetSignalsRequest, hasFeature } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';

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
