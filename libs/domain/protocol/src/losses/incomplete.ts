import type { JsonObject } from '@switchyard/values';

/** A scope that was not completed in time: `products`, `pricing`, `forecast`, `proposals` or `wholesale_feed`. */
export interface Incomplete {
  readonly scope: string;
  readonly description: string;
  readonly estimatedWait?: JsonObject;
}
