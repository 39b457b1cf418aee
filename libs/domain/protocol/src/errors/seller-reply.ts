import type { JsonObject } from '@switchyard/values';
import type { TaskStatus } from '../entities/task/task-status.js';
import type { TaskError } from './task-fault.js';

/** An answer of a seller with its task members; the payload is not read yet. */
export interface SellerReply {
  readonly status: TaskStatus;
  readonly taskId?: string;
  readonly contextId?: string;
  readonly message?: string;
  readonly replayed: boolean;
  readonly payload: JsonObject;
  /** Fatal errors: present exactly if `status` is `failed` or `rejected`, or for `input-required` with errors. */
  readonly errors: readonly TaskError[];
}
