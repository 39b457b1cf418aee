import type { JsonObject } from '@switchyard/values';
import type { Recovery } from './recovery.js';

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
