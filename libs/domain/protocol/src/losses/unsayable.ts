import { type TaskError, taskError } from '../errors/task-error.js';

/** Why a request cannot be said in a form at all: what it needs there and does not have, by its name in the request. */
export function unsayable(field: string, message: string, suggestion: string): TaskError {
  return taskError('UNSUPPORTED_FEATURE', message, { field, suggestion });
}
