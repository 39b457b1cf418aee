import type { JsonObject } from '@switchyard/values';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';

/** A member that could not be carried, or an irregularity of a peer's message. It is never a failure. */
export interface Finding {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
}

/** A scope that was not completed in time: `products`, `pricing`, `forecast`, `proposals` or `wholesale_feed`. */
export interface Incomplete {
  readonly scope: string;
  readonly description: string;
  readonly estimatedWait?: JsonObject;
}

/** The error for a request that a form cannot carry. `field` is the missing member's name in the request. */
export function notExpressible(field: string, message: string, suggestion: string): TaskError {
  return taskError('UNSUPPORTED_FEATURE', message, { field, suggestion });
}
