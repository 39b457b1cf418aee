import type { JsonObject } from '@switchyard/values';
import { canonicalCode, errorRule } from './error-codes.js';

/** One item of `errors[]`. `retryAfter` is in seconds. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: Recovery;
  readonly retryAfter?: number;
  /** Each invalid member, as in 3.x: `pointer`, `message`, `keyword`, and the peer's other members. */
  readonly issues?: JsonObject[];
  readonly details?: JsonObject;
}

export type Recovery = 'transient' | 'correctable' | 'terminal';

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
