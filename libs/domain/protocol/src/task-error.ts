import type { JsonObject } from '@switchyard/values';
import { canonicalCode, errorRule } from './error-codes.js';
import type { Recovery, TaskError } from './model/task-error.js';

export interface TaskErrorExtras {
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: Recovery;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly details?: JsonObject;
}

/** An error of ours, its recovery class filled in from the table. The code may be in either dialect's spelling. */
export function taskError(code: string, message: string, extras: TaskErrorExtras = {}): TaskError {
  return { code: canonicalCode(code), message, recovery: errorRule(code).recovery, ...extras };
}
