import { projectTarget, readDeployment } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { targetKey, type ActivationRepository } from './activation.js';

/**
 * An agent's answer to `get_signals` as this tenant may keep it: where another tenant has asked for a signal over the same
 * account, and this one has not, the signal is not live, and neither its key nor its time is there. Everything else stays
 * as it came.
 */
export async function hideOthers(
  repository: ActivationRepository,
  scope: TenantScope,
  connectionId: string,
  payload: JsonObject,
): Promise<JsonObject> {
  const { signals } = payload;
  if (!Array.isArray(signals)) return payload;
  const segments = signals.flatMap((one) => {
    const segmentId = isJsonObject(one) ? one['signal_agent_segment_id'] : undefined;
    return typeof segmentId === 'string' ? [{ connectionId, segmentId }] : [];
  });
  const others = segments.length === 0 ? [] : await repository.elsewhere(scope, segments);
  if (others.length === 0) return payload;
  const taken = new Set(others.map((one) => keyOf(one.segmentId, one.target)));
  const own = (await repository.of(scope, segments)).filter(({ state }) => state !== 'off');
  const ours = new Set(own.map((one) => keyOf(one.segmentId, targetKey(one.target))));
  const shown = (segmentId: string, value: JsonValue): JsonValue => {
    const one = readDeployment(value);
    if (one === undefined) return value;
    const key = keyOf(segmentId, targetKey(one));
    const isAnothers = (taken.has(key) || taken.has(keyOf(segmentId, '*'))) && !ours.has(key);
    return isAnothers ? { ...projectTarget(one), is_live: false } : value;
  };
  return {
    ...payload,
    signals: signals.map((signal): JsonValue => {
      if (!isJsonObject(signal)) return signal;
      const { signal_agent_segment_id: id, deployments } = signal;
      if (typeof id !== 'string' || !Array.isArray(deployments)) return signal;
      return { ...signal, deployments: deployments.map((one) => shown(id, one)) };
    }),
  };
}

function keyOf(segmentId: string, target: string): string {
  return JSON.stringify([segmentId, target]);
}
