import type { JsonObject } from '@switchyard/values';
import type { TaskError } from '../../errors/task-error.js';
import type { TaskStatus } from './task-status.js';

export interface TaskView {
  readonly hasWebhook?: boolean;
  /** The session that the buyer put it into. */
  readonly contextId?: string;
  /** What was asked and said of it, oldest first. */
  readonly history?: readonly TaskExchange[];
  readonly taskId: string;
  /** The task's name, for example `create_media_buy`. */
  readonly taskType: string;
  readonly protocol: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt?: string;
  /** How far work is that goes on. */
  readonly progress?: TaskProgress;
  readonly error?: TaskError;
  readonly message?: string;
  /** The task's own answer in the form of the peer that said it. */
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

/** What was asked, or said, of a task: with a time of RFC 3339. */
export interface TaskExchange {
  readonly timestamp: string;
  readonly type: 'request' | 'response';
  readonly data: JsonObject;
}
