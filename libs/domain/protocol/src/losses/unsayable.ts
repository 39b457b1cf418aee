import { type TaskError, taskError } from '../errors/task-error.js';

/** The error for a request that a form cannot carry. `field` is the missing member's name in the request. */
export function unsayable(field: string, message: string, suggestion: string): TaskError {
  return taskError('UNSUPPORTED_FEATURE', message, { field, suggestion });
}
