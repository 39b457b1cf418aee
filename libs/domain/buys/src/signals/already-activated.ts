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
import { targetKey } from '../model/activation.js';
import { requestedActivation } from './activation-answer.js';

const code = 'ALREADY_ACTIVATED';

/**
 * The request of a leg that its agent refused because the signal is already active, which is a success
 * (docs/protocol/signals.md#activation). Undefined for any other answer, and where there is another error as
 * well.
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
 * Converts the refusal to a success. The state of each destination is from the refusal itself, else from
 * `known`; an unknown destination is not live before its agent reports it. The refusal stays as a warning
 * (docs/protocol/requests-and-versions.md#status-words).
 */
export function asActivated(
  leg: Leg,
  reply: SellerReply,
  { destinations }: ActivateSignalRequest,
  known: readonly Deployment[],
): SellerReply {
  const reported = new Map(known.map((deployment) => [targetKey(deployment), deployment]));
  for (const deployment of reportedDeployments(reply, destinations))
    reported.set(targetKey(deployment), deployment);
  const deployments = destinations.map(
    // No time is left for a finished activation: its agent is soon polled for the key.
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

/** Agents send existing deployments in the details of the error: a list, one deployment, or its members. */
function reportedDeployments(
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
    .filter((deployment) => deployment !== undefined);
}
