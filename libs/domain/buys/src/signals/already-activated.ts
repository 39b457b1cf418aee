import {
  activateSignal,
  projectTarget,
  readDeployment,
  type ActivateSignalRequest,
  type Deployment,
  type SellerReply,
} from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { targetKey } from './activation.js';
import { requestedActivation } from './requested-activation.js';

const code = 'ALREADY_ACTIVATED';

/**
 * The request of a leg that its agent refused because the signal is activated already: what was asked for is so, which
 * is success (docs/protocol/signals.md#activation). Nothing for any other answer, and nothing where the agent had
 * another reason as well.
 */
export function alreadyActivated(
  leg: Leg,
  { status, errors }: SellerReply,
): ActivateSignalRequest | undefined {
  if (status !== 'failed' && status !== 'rejected') return undefined;
  if (errors.length === 0 || !errors.every((error) => error.code === code)) return undefined;
  const requested = requestedActivation(leg);
  return requested?.action === 'deactivate' ? undefined : requested;
}

/**
 * The refusal as the success that it is. How each place stands is what the refusal itself says of it, else what is
 * known from elsewhere; a place of which nobody knows is not called live before its agent shows it so. The refusal stays
 * beside it as a warning (docs/protocol/requests-and-versions.md#status-words).
 */
export function asActivated(
  leg: Leg,
  reply: SellerReply,
  { destinations }: ActivateSignalRequest,
  known: readonly Deployment[],
): SellerReply {
  const reported = new Map(known.map((one) => [targetKey(one), one]));
  for (const one of deploymentsSaid(reply, destinations)) reported.set(targetKey(one), one);
  const deployments = destinations.map(
    // Nothing is left of an activation that has happened: its agent is soon asked for the key.
    (target): Deployment =>
      reported.get(targetKey(target)) ?? { ...target, isLive: false, estimatedMinutes: 0 },
  );
  const { errors } = reply.payload;
  const payload: JsonObject = {
    ...activateSignal.projectAnswer({ deployments, warnings: [] }, leg.profile),
    ...(errors === undefined ? {} : { errors }),
  };
  const { taskId: _ended, ...rest } = reply;
  return { ...rest, status: 'completed', payload, errors: [] };
}

/** Agents put what stands already into the details of the error: a list, one place, or the members of the only one. */
function deploymentsSaid(
  { errors }: SellerReply,
  destinations: ActivateSignalRequest['destinations'],
): readonly Deployment[] {
  const [only, another] = destinations;
  const place = only === undefined || another !== undefined ? {} : projectTarget(only);
  return errors
    .flatMap(({ details }): readonly JsonValue[] => {
      if (!isJsonObject(details)) return [];
      const { deployments, deployment } = details;
      if (Array.isArray(deployments)) return deployments;
      return [isJsonObject(deployment) ? { ...place, ...deployment } : { ...place, ...details }];
    })
    .map(readDeployment)
    .filter((one) => one !== undefined);
}
