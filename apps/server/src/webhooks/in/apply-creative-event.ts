import { applyCreativeEvent as apply } from '@switchyard/buys';
import type { InboxMark, WaitingEvent } from '@switchyard/store';
import type { TenantScope } from '@switchyard/tenancy';
import { isJsonObject, parseStrictJson } from '@switchyard/values';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import { askIfStopped } from '../../sellers/index.js';

/** Applies a seller's update of a creative to its state there. Without a library, it is only stored and shown. */
export async function applyCreativeEvent(
  deps: Pick<WorkerDeps, 'creatives' | 'governance' | 'ports'>,
  scope: TenantScope,
  event: WaitingEvent,
): Promise<InboxMark> {
  const { id } = event;
  const { creatives } = deps;
  const parsed = parseStrictJson(event.body);
  const body = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
  // Some sellers put the update into the envelope of a task.
  const payload = isJsonObject(body['result']) ? body['result'] : body;
  if (creatives === undefined) return { id, state: 'applied', reason: `known_without_effect:${event.kind}` };
  const outcome = await apply(creatives, scope, event, payload);
  const { governance, ports } = deps;
  if (outcome === 'applied' && governance !== undefined)
    await askIfStopped({ ...ports, cases: governance }, scope, event, payload);
  if (outcome === 'applied') return { id, state: 'applied' };
  return outcome === 'stale' ? { id, state: 'stale' } : { id, state: 'quarantined', reason: outcome };
}
