import { tasks } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { RecordingSeller } from './recording-seller.js';

/** The tasks that a seller may answer as unfinished. */
export const tasksUnderWay: readonly string[] = tasks
  .filter(({ mayBeAsync }) => mayBeAsync)
  .map(({ name }) => name);

let tasksOpened = 0;

/**
 * Returns a seller's answer for an accepted, unfinished task: the `service` form already has the buy's id and the
 * status pending; the releases have `submitted` and nothing of the result.
 */
export function submittedAnswer(
  { form }: RecordingSeller,
  tool: string,
  args: JsonObject,
): JsonObject | undefined {
  if (!tasksUnderWay.includes(tool)) return undefined;
  tasksOpened += 1;
  const task = { task_id: `their_task_${tasksOpened}` };
  // An agent without an expected time is waited for; this one states half an hour.
  if (tool === 'activate_signal')
    return {
      status: 'submitted',
      ...task,
      deployments: targetsOf(args).map((target) => ({ ...target, ...later })),
    };
  if (form !== 'service') return { status: 'submitted', ...task };
  if (tool === 'create_media_buy')
    return {
      media_buy_id: `their_buy_of_${tasksOpened}`,
      buyer_ref: args['buyer_ref'] ?? '',
      status: 'pending',
      ...task,
    };
  return { status: tool === 'get_products' || tool === 'get_signals' ? 'submitted' : 'pending', ...task };
}

const later = { is_live: false, estimated_activation_duration_minutes: 30 };

function targetsOf(args: JsonObject): readonly JsonObject[] {
  const requested = args['destinations'] ?? args['deployments'];
  return Array.isArray(requested) ? requested.filter(isJsonObject) : [];
}
