import { defined, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { GetTaskRequest, TaskProgress, TaskView } from '../entities/task/task-view.js';
import type { TaskError } from '../errors/task-fault.js';
import { codeIn } from '../errors/project-errors.js';
import { readErrors } from '../errors/read-errors.js';
import { readTaskStatus } from '../entities/task/task-status.js';
import type { TaskSpec } from '../task-spec.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { unusable } from '../message/answer.js';
import { projectExtras, readExtras } from '../message/extras.js';
import { is3x } from '../message/form.js';
import { projectSummary, readHistory } from '../entities/task/task-summary.js';
import { inputSchemaOf, extras, idText, readShape } from '../message/shapes.js';
import { booleanAt, countAt, numberAt, objectAt, textAt } from '../message/pick.js';
import { taskNames } from '../entities/task/task-names.js';

const shape = z.looseObject({
  ...extras,
  task_id: idText,
  include_result: z
    .boolean()
    .optional()
    .describe('True by default here: the result of an ended task comes along.'),
  include_history: z.boolean().optional(),
});

const epoch = '1970-01-01T00:00:00.000Z';

export const getTask: TaskSpec<GetTaskRequest, TaskView> = {
  name: 'get_task',
  names: {
    ads: ['tasks/get', 'get_task_status', 'get_task', 'tasks_get'],
    adcp: ['tasks/get', 'get_task_status', 'get_task', 'tasks_get'],
  },
  access: 'credentials',
  kind: 'read',
  area: 'of_its_task',
  permission: 'read',
  serves: 'platform',
  deadlineMs: 10_000,
  mayBeAsync: false,
  inputSchema: inputSchemaOf(shape),

  readRequest(args) {
    const checked = readShape(shape, args);
    if (!checked.ok) return checked;
    return ok({
      ...readExtras(args),
      taskId: checked.value.task_id,
      includeResult: checked.value.include_result ?? true,
      includeHistory: checked.value.include_history ?? false,
    });
  },

  projectRequest(request, to) {
    const args = {
      ...projectExtras(request, to, 'read'),
      task_id: request.taskId,
      ...(to.form === '3.1' || to.form === 'service' ? { include_result: request.includeResult } : {}),
    } as JsonObject;
    return { args, findings: [] };
  },

  readAnswer(payload) {
    const taskId = textAt(payload, 'task_id');
    const status = readTaskStatus(payload['status']);
    if (taskId === undefined) return unusable('it has no task_id');
    if (status === undefined) return unusable('it has no status of a task');
    const createdAt = textAt(payload, 'created_at') ?? textAt(payload, 'timestamp') ?? epoch;
    const [error] = status === 'failed' || status === 'rejected' ? readErrors(payload) : [];
    const view: TaskView = {
      taskId,
      status,
      taskType: textAt(payload, 'task_type') ?? '',
      protocol: textAt(payload, 'protocol') ?? textAt(payload, 'domain') ?? 'media-buy',
      createdAt,
      updatedAt: textAt(payload, 'updated_at') ?? createdAt,
      ...defined({
        completedAt: textAt(payload, 'completed_at'),
        progress: readProgress(objectAt(payload, 'progress')),
        error,
        message: textAt(payload, 'message'),
        hasWebhook: booleanAt(payload, 'has_webhook'),
        contextId: textAt(payload, 'context_id'),
        history: readHistory(payload),
        result: objectAt(payload, 'result'),
      }),
    };
    return ok({ answer: view, setAside: [] });
  },

  projectAnswer(view, to) {
    return defined({
      // As in webhooks (docs/protocol/webhooks-out.md#content-by-status): 3.x has `protocol`, older forms `domain`.
      ...projectSummary(view, is3x(to.form) ? 'protocol' : 'domain', to.form),
      message: view.message,
      progress: view.progress === undefined ? undefined : projectProgress(view.progress),
      error: view.error === undefined ? undefined : projectFailure(view, view.error, to),
      result: view.result === undefined ? undefined : structuredClone(view.result),
    });
  },
};

/** A failed task's error; the complete error of its own answer is in `result`. */
function projectFailure(view: TaskView, error: TaskError, to: WireProfile): JsonObject {
  const { code, message, details } = error;
  const { protocol } = taskNames(view.taskType, view.protocol, to.form);
  return {
    code: codeIn(code, to.dialect, to.form),
    message,
    details: {
      [is3x(to.form) ? 'protocol' : 'domain']: protocol,
      operation: view.taskType,
      ...(details === undefined ? {} : { specific_context: structuredClone(details) }),
    },
  };
}

function projectProgress({ percentage, currentStep, totalSteps, stepNumber }: TaskProgress): JsonObject {
  return defined({
    percentage,
    current_step: currentStep,
    total_steps: totalSteps,
    step_number: stepNumber,
  });
}

/** Values out of range are ignored. */
function readProgress(value: JsonObject | undefined): TaskProgress | undefined {
  if (value === undefined) return undefined;
  const percentage = numberAt(value, 'percentage');
  const step = (name: string): number | undefined => {
    const count = countAt(value, name);
    return count === 0 ? undefined : count;
  };
  return defined({
    percentage: percentage !== undefined && percentage >= 0 && percentage <= 100 ? percentage : undefined,
    currentStep: textAt(value, 'current_step'),
    totalSteps: step('total_steps'),
    stepNumber: step('step_number'),
  });
}
