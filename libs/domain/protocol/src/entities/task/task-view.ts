import type { JsonObject } from '@switchyard/values';
import type { TaskError } from '../../errors/task-fault.js';
import type { TaskSummary } from './task-messages.js';
import type { RequestExtras } from '../../message/request-extras.js';

export interface TaskView extends Omit<TaskSummary, 'hasWebhook'> {
  readonly hasWebhook?: boolean;
  /** Progress of work that continues. */
  readonly progress?: TaskProgress;
  readonly error?: TaskError;
  readonly message?: string;
  /** The task's own answer in the form of the peer that sent it. */
  readonly result?: JsonObject;
}

export interface TaskProgress {
  /** From 0 to 100. */
  readonly percentage?: number;
  readonly currentStep?: string;
  readonly totalSteps?: number;
  /** From 1 on. */
  readonly stepNumber?: number;
}

export interface GetTaskRequest extends RequestExtras {
  readonly taskId: string;
  readonly includeResult: boolean;
  readonly includeHistory?: boolean;
}
