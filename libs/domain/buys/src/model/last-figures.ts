import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';

/** The counted figures of one package at one seller, over the whole buy; '' is the whole seller buy. */
export interface LastFigure {
  readonly seller: string;
  readonly packageRef: string;
  readonly spendMicros: bigint;
  readonly impressions?: bigint;
  /** Time of the seller's last report on it. */
  readonly asOf: Instant;
}

/** Reads from the ledger what sellers have reported of a media buy so far. */
export interface LastFigures {
  deliveredBy(scope: TenantScope, mediaBuyId: string): Promise<readonly LastFigure[]>;
}
