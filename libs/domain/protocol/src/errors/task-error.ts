import type { JsonObject } from '@switchyard/values';
import { canonicalCode, errorRule } from './error-codes.js';
import type { Recovery } from './recovery.js';
import type { TaskError } from './task-fault.js';

interface TaskErrorExtras {
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: Recovery;
  /** Seconds. */
  readonly retryAfter?: number;
  readonly details?: JsonObject;
}

/** Returns an error of ours, with the recovery class of its code. The code may be a name of either dialect. */
export function taskError(code: string, message: string, extras: TaskErrorExtras = {}): TaskError {
  return { code: canonicalCode(code), message, recovery: errorRule(code).recovery, ...extras };
}
