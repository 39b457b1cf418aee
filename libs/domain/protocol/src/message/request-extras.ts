import type { JsonObject } from '@switchyard/values';
import type { AccountRef } from '../entities/account/account-ref.js';
import type { PushConfig } from './push-config.js';

/** What any task may carry beside its own fields. */
export interface RequestExtras {
  readonly account?: AccountRef;
  readonly idempotencyKey?: string;
  /** Opaque: echoed verbatim, never read. */
  readonly context?: JsonObject;
  readonly contextId?: string;
  readonly governanceContext?: string;
  readonly push?: PushConfig;
  readonly ext?: JsonObject;
}
