import { projectTarget, readDeployment } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { targetKey, type ActivationRepository } from '../model/activation.js';

/**
 * Removes other tenants' activations from an answer to `get_signals`: where another tenant requested a signal
 * over the same account, and this one did not, it is shown as not live, without key and time. Everything else
 * stays unchanged.
 */
export async function hideOtherTenants(
  repository: ActivationRepository,
  scope: TenantScope,
  connectionId: string,
  payload: JsonObject,
): Promise<JsonObject> {
  const { signals } = payload;
  if (!Array.isArray(signals)) return payload;
  const segments = signals.flatMap((signal) => {
    const segmentId = isJsonObject(signal) ? signal['signal_agent_segment_id'] : undefined;
    return typeof segmentId === 'string' ? [{ connectionId, segmentId }] : [];
  });
  const others = segments.length === 0 ? [] : await repository.elsewhere(scope, segments);
  if (others.length === 0) return payload;
  const taken = new Set(others.map((request) => keyOf(request.segmentId, request.target)));
  const own = (await repository.of(scope, segments)).filter(({ state }) => state !== 'off');
  const ownKeys = new Set(own.map((activation) => keyOf(activation.segmentId, targetKey(activation.target))));
  const shown = (segmentId: string, value: JsonValue): JsonValue => {
    const deployment = readDeployment(value);
    if (deployment === undefined) return value;
    const key = keyOf(segmentId, targetKey(deployment));
    const belongsToAnother = (taken.has(key) || taken.has(keyOf(segmentId, '*'))) && !ownKeys.has(key);
    return belongsToAnother ? { ...projectTarget(deployment), is_live: false } : value;
  };
  return {
    ...payload,
    signals: signals.map((signal): JsonValue => {
      if (!isJsonObject(signal)) return signal;
      const { signal_agent_segment_id: id, deployments } = signal;
      if (typeof id !== 'string' || !Array.isArray(deployments)) return signal;
      return { ...signal, deployments: deployments.map((deployment) => shown(id, deployment)) };
    }),
  };
}

function keyOf(segmentId: string, target: string): string {
  return JSON.stringify([segmentId, target]);
}
