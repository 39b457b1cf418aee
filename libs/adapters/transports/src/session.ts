import type {
  SellerAnswer,
  SellerCall,
  SellerLane,
  SellerTarget,
  TransportFailure,
} from '@switchyard/sellers';
import type { Result } from '@switchyard/values';

/**
 * A warm session with one seller. It holds no secret: each call brings its own, and equal targets bring the same. It
 * never rejects because of a seller.
 */
export interface SellerSession {
  /** True once the seller has dropped it, or never spoke the protocol: do not use it again. */
  readonly isDead: boolean;
  call(
    target: SellerTarget,
    call: SellerCall,
    signal: AbortSignal,
  ): Promise<Result<SellerAnswer, TransportFailure>>;
  listTools(
    target: SellerTarget,
    signal: AbortSignal,
  ): Promise<Result<Record<string, string[]>, TransportFailure>>;
  lane(): Result<SellerLane, TransportFailure>;
  close(target: SellerTarget, signal: AbortSignal): Promise<void>;
}
