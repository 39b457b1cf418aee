import { isBuyOver, type SellerReply } from '@switchyard/protocol';
import type { Instant } from '@switchyard/values';
import type { Leg, LegStatus, ObservationSource, SellerBuy } from './operation.js';

export function isSettled(leg: Pick<Leg, 'status'>): boolean {
  return terminal.has(leg.status);
}

/** An observation of a leg: the seller's reply, and how it was received. */
export interface LegObservation {
  readonly source: ObservationSource;
  readonly reply: SellerReply;
  readonly a2aTaskId?: string;
  readonly at: Instant;
  /** The seller's own time of the status, if sent: of two interim states the later one counts. */
  readonly reportedAt?: Instant;
  readonly elapsedMs?: number;
}

export const terminal: ReadonlySet<LegStatus> = new Set(['completed', 'failed', 'canceled', 'rejected']);
/** False for a part that its seller refused: it has ended without an id. */
export function isMadeOrMayBe({ sellerMediaBuyId, status }: SellerBuy): boolean {
  return sellerMediaBuyId !== undefined || !isBuyOver(status);
}
