import type { JsonObject } from '@switchyard/values';
import type { AccountRef } from '../entities/account/account-ref.js';
import type { PushConfig } from './push-config.js';

/** Optional members of every task. */
export interface RequestExtras {
  readonly account?: AccountRef;
  readonly idempotencyKey?: string;
  /** Opaque: returned verbatim, never read. */
  readonly context?: JsonObject;
  readonly contextId?: string;
  readonly governanceContext?: string;
  readonly push?: PushConfig;
  readonly ext?: JsonObject;
}
