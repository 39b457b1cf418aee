import type { JsonObject } from '@switchyard/values';
import type { RequestExtras } from '../../message/request-extras.js';
import type { TaskStatus } from './task-status.js';

/** Which of the caller's tasks to list. Members are joined by "and", the values of one member by "or". */
export interface TaskFilters {
  /** `media-buy` or `signals`. */
  readonly protocols?: readonly string[];
  readonly statuses?: readonly string[];
  readonly taskTypes?: readonly string[];
  /** RFC 3339, exclusive. */
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly updatedAfter?: string;
  readonly updatedBefore?: string;
  readonly taskIds?: readonly string[];
  /** A text that the request's context contains. */
  readonly contextContains?: string;
  readonly hasWebhook?: boolean;
  /** One of the caller's sessions. */
  readonly contextId?: string;
}

export interface TaskSort {
  readonly field: 'created_at' | 'updated_at' | 'status' | 'task_type' | 'protocol';
  readonly direction: 'asc' | 'desc';
}

export interface ListTasksRequest extends RequestExtras {
  readonly filters: TaskFilters;
  readonly sort: TaskSort;
  /** Tasks per page, 1 to 100. */
  readonly maxResults: number;
  readonly cursor?: string;
  /** Paging by offset, in the form that has no cursor. */
  readonly offset?: number;
  readonly includeHistory: boolean;
}

/** One task in a list: without its result. Times are RFC 3339. */
export interface TaskSummary {
  readonly taskId: string;
  /** The task's name, for example `create_media_buy`. */
  readonly taskType: string;
  readonly protocol: string;
  readonly status: TaskStatus;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly completedAt?: string;
  readonly hasWebhook: boolean;
  /** The buyer's session of the task. */
  readonly contextId?: string;
  /** The messages of the task, oldest first. */
  readonly history?: readonly TaskExchange[];
}

export interface ListTasksAnswer {
  readonly tasks: readonly TaskSummary[];
  /** Of all pages. */
  readonly total: number;
  readonly byProtocol: Readonly<Record<string, number>>;
  readonly byStatus: Readonly<Record<string, number>>;
  readonly sort: TaskSort;
  readonly limit: number;
  readonly offset: number;
  readonly hasMore: boolean;
  readonly cursor?: string;
}

export interface CancelTaskRequest extends RequestExtras {
  readonly taskId: string;
  readonly reason?: string;
}

/** A seller that does not cancel its part, and its reason. */
export interface CancelRefusal {
  readonly seller: string;
  readonly code: string;
  readonly message: string;
  /** Set where the part is a buy already: cancel this instead. */
  readonly mediaBuyId?: string;
}

export interface CancelTaskAnswer {
  readonly task: TaskSummary;
  readonly refusals: readonly CancelRefusal[];
}

/** One message of a task, with an RFC 3339 time. */
export interface TaskExchange {
  readonly timestamp: string;
  readonly type: 'request' | 'response';
  readonly data: JsonObject;
}
