import { defined, err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { CancelRefusal, CancelTaskAnswer, CancelTaskRequest } from '../entities/task/task-messages.js';
import type { TaskSpec } from '../task-spec.js';
import { unusable } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x, withExt } from '../message/form.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { member } from '../message/pick.js';
import { keyFaults } from '../message/require.js';
import { projectSummary, readSummary } from '../entities/task/task-summary.js';

const shape = z.looseObject({
  ...extras,
  task_id: idText,
  reason: z.string().min(1).max(2_000).optional().describe('Why, for the sellers that ask.'),
});

/**
 * Cancels unfinished work at each seller that still has it (docs/protocol/task-states.md#cancellation). No release has
 * a schema for it: the request is the id, the answer the task. The key is optional, since A2A's own call has none and a
 * repeated cancellation changes nothing; a given key is checked like any other
 * (docs/protocol/idempotency.md#keys-of-buyers).
 */
export const cancelTask: TaskSpec<CancelTaskRequest, CancelTaskAnswer> = {
  name: 'cancel_task',
  names: {
    ads: ['tasks/cancel', 'cancel_task', 'tasks_cancel'],
    adcp: ['tasks/cancel', 'cancel_task', 'tasks_cancel'],
  },
  access: 'credentials',
  kind: 'mutation',
  area: 'of_its_task',
  permission: 'write',
  isForNoAccount: true,
  serves: 'platform',
  deadlineMs: 15_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args, profile) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    const faults = member(args, 'idempotency_key') === undefined ? [] : keyFaults(args, profile.form);
    if (faults.length > 0) return err(faults);
    return ok({
      ...readExtras(args),
      taskId: checked.value.task_id,
      ...defined({ reason: checked.value.reason }),
    });
  },

  projectRequest(request, to) {
    const args = {
      ...projectExtras(request, to, 'mutation'),
      ...defined({ task_id: request.taskId, reason: request.reason }),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload) {
    const task = readSummary(payload);
    if (!task.ok) return unusable(task.error.message);
    return ok({ answer: { task: task.value, refusals: [] }, setAside: [] });
  },

  projectAnswer({ task, refusals }, to) {
    const payload = projectSummary(task, is3x(to.form) ? 'protocol' : 'domain', to.form);
    if (refusals.length === 0) return payload;
    const refused = refusals.map(projectRefusal);
    return to.form === 'service' ? { ...payload, refused } : { ...payload, ...withExt(payload, { refused }) };
  },
};

function projectRefusal({ seller, code, message, mediaBuyId }: CancelRefusal): JsonObject {
  return defined({ seller, code, message, media_buy_id: mediaBuyId });
}
