import type { JsonObject } from '@switchyard/values';

/** One item of `errors[]`. `retryAfter` is in seconds. */
export interface TaskError {
  readonly code: string;
  readonly message: string;
  readonly field?: string;
  readonly suggestion?: string;
  readonly recovery?: Recovery;
  readonly retryAfter?: number;
  /** Each member that was wrong, as 3.x tells it: `pointer`, `message`, `keyword`, and what else the peer says of it. */
  readonly issues?: JsonObject[];
  readonly details?: JsonObject;
}

export type Recovery = 'transient' | 'correctable' | 'terminal';
