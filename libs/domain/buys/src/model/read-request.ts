import type { BreakerBoard, Bulkhead } from '@switchyard/sellers';
import type { CreativeApprovalRepository } from './creative-approvals.js';
import type { LastFigures } from './last-figures.js';
import type { BuysPorts, ImpairmentRepository } from './ports.js';
import type { SellerRow } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';

export interface ReadPorts extends BuysPorts {
  readonly breakers: BreakerBoard;
  readonly bulkhead: Bulkhead;
  /** Stored impairments of buys; absent: buys are shown without them. */
  readonly impairments?: ImpairmentRepository;
  /** Open cases of governance by buy, as their buyers see them; absent: there are none. */
  readonly casesOf?: (
    scope: TenantScope,
    mediaBuyIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly JsonObject[]>>;
  /** Stored approvals of creatives on packages; absent: none are stored. */
  readonly creativeApprovals?: CreativeApprovalRepository;
  /** The last figures of sellers that do not answer; absent: their delivery is unknown. */
  readonly figures?: LastFigures;
}

export interface ReadRequest {
  readonly scope: TenantScope;
  /** The caller, which signs at sellers that want it; absent for scheduled jobs. */
  readonly principalId?: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  readonly onSeller?: (row: SellerRow, settled: number, total: number) => void;
  /** Includes the text of answers, as evidence. */
  readonly wantsText?: true;
}
