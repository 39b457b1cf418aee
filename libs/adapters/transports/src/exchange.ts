import type { Egress, SellerCall, SellerTarget, TransportFailure } from '@switchyard/sellers';

/**
 * What an answer of a seller may have, beside its bytes: far more than a real one has, and little enough that no step
 * after the reading has to be afraid of it.
 */
export const answerBounds = { maxDepth: 64, maxMembers: 200_000 } as const;

/** One call on its way out: as whom, until when, and what went wrong below the library that carries it. */
export interface Exchange {
  readonly credential: SellerTarget['credential'];
  readonly signer: SellerTarget['signer'];
  readonly signal: AbortSignal;
  /** Largest answer that is read, in bytes, where the call wants less than every other may bring. */
  readonly maxAnswerBytes?: number;
  /** Set by our own `fetch`: more exact than whatever the library makes of it. */
  failure?: TransportFailure;
}

export function exchangeOf(
  target: SellerTarget,
  signal: AbortSignal,
  { maxAnswerBytes }: Pick<SellerCall, 'maxAnswerBytes'> = {},
): Exchange {
  const bound = maxAnswerBytes === undefined ? {} : { maxAnswerBytes };
  return { credential: target.credential, signer: target.signer, signal, ...bound };
}

/** What the sessions need of the world. */
export interface Wires {
  readonly egress: Pick<Egress, 'fetchLike'>;
  readonly client: { readonly name: string; readonly version: string };
  readonly maxAnswerBytes: number;
  /** Longest time that making a session may take, in milliseconds. */
  readonly connectTimeoutMs: number;
}
