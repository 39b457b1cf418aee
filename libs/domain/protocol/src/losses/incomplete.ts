import type { JsonObject } from '@switchyard/values';

/** What somebody could not finish in time: `products`, `pricing`, `forecast`, `proposals` or `wholesale_feed`. */
export interface Incomplete {
  readonly scope: string;
  readonly description: string;
  readonly estimatedWait?: JsonObject;
}
