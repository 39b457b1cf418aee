import type { JsonObject } from '@switchyard/values';
import type { AccountRef } from '../entities/account/account-ref.js';

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

export interface PushConfig {
  readonly url: string;
  readonly operationId?: string;
  readonly token?: string;
  readonly authentication?: { readonly schemes: readonly string[]; readonly credentials: string };
}

export interface ReportingWebhook extends PushConfig {
  readonly frequency?: string;
  readonly requestedMetrics?: readonly string[];
}
