import type { JsonObject } from '@switchyard/values';
import type { TaskError } from '../../errors/task-error.js';
import type { TaskStatus } from './task-status.js';

export interface TaskView {
  readonly hasWebhook?: boolean;
  /** The buyer's session of the task. */
  readonly contextId?: string;
  /** The messages of the task, oldest first. */
  readonly history?: readonly TaskExchange[];
  readonly taskId: string;
  /** The task's name, for example `create_media_buy`. */
  readonly taskType: string;
  readonly protocol: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt?: string;
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

/** One message of a task, with an RFC 3339 time. */
export interface TaskExchange {
  readonly timestamp: string;
  readonly type: 'request' | 'response';
  readonly data: JsonObject;
}
