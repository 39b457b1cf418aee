import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { booleanAt, numberAt, objectAt, textAt } from '../../message/pick.js';

export interface Deployment extends DeploymentTarget {
  readonly isLive: boolean;
  readonly activationKey?: ActivationKey;
  readonly estimatedMinutes?: number;
  readonly deployedAt?: string;
}

export interface DeploymentTarget {
  readonly type: 'platform' | 'agent';
  readonly platform?: string;
  readonly agentUrl?: string;
  readonly account?: string;
}

export type ActivationKey =
  | { readonly type: 'segment_id'; readonly segmentId: string }
  | { readonly type: 'key_value'; readonly key: string; readonly value: string };

export function readTarget(value: JsonValue): DeploymentTarget | undefined {
  if (!isJsonObject(value)) return undefined;
  const type = textAt(value, 'type');
  const platform = textAt(value, 'platform');
  const agentUrl = textAt(value, 'agent_url');
  const account = textAt(value, 'account');
  if (type === 'platform' && platform !== undefined) return { type, platform, ...defined({ account }) };
  if (type === 'agent' && agentUrl !== undefined) return { type, agentUrl, ...defined({ account }) };
  return undefined;
}

export function projectTarget(target: DeploymentTarget): JsonObject {
  return defined({
    type: target.type,
    platform: target.platform,
    agent_url: target.agentUrl,
    account: target.account,
  });
}

/** Reads a deployment. Its activation key is used only if the deployment is live. */
export function readDeployment(value: JsonValue): Deployment | undefined {
  const target = readTarget(value);
  if (target === undefined || !isJsonObject(value)) return undefined;
  // Activation answers of `service` have no `is_live`: a key or a deployment time implies it.
  const received = booleanAt(value, 'is_live');
  const key = readKey(objectAt(value, 'activation_key'));
  const deployedAt = textAt(value, 'deployed_at');
  const isLive = received ?? (key !== undefined || deployedAt !== undefined);
  return {
    ...target,
    isLive,
    ...defined({
      activationKey: isLive ? key : undefined,
      estimatedMinutes: numberAt(value, 'estimated_activation_duration_minutes'),
      deployedAt,
    }),
  };
}

export function projectDeployment(deployment: Deployment): JsonObject {
  return defined({
    ...projectTarget(deployment),
    is_live: deployment.isLive,
    activation_key: deployment.activationKey === undefined ? undefined : projectKey(deployment.activationKey),
    estimated_activation_duration_minutes: deployment.estimatedMinutes,
    deployed_at: deployment.deployedAt,
  });
}

function readKey(value: JsonObject | undefined): ActivationKey | undefined {
  const type = textAt(value, 'type');
  const segmentId = textAt(value, 'segment_id');
  const key = textAt(value, 'key');
  const keyValue = textAt(value, 'value');
  if (type === 'segment_id' && segmentId !== undefined) return { type, segmentId };
  if (type === 'key_value' && key !== undefined && keyValue !== undefined)
    return { type, key, value: keyValue };
  return undefined;
}

function projectKey(key: ActivationKey): JsonObject {
  if (key.type === 'segment_id') return { type: key.type, segment_id: key.segmentId };
  return { type: key.type, key: key.key, value: key.value };
}
