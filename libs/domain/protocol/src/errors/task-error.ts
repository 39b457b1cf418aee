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
