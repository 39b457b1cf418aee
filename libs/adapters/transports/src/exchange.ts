import type { Egress, SellerAnswer, SellerCall, SellerTarget, TransportFailure } from '@switchyard/sellers';

/**
 * What an answer of a seller may have, beside its bytes: far more than a real one has, and little enough that no step
 * after the reading has to be afraid of it.
 */
export const answerBounds = { maxDepth: 64, maxMembers: 200_000 } as const;

/** One call on its way out: as whom, until when, and what went wrong below the library that carries it. */
export interface Exchange {
  readonly to: Pick<SellerTarget, 'organizationId' | 'connectionId'>;
  readonly credential: SellerTarget['credential'];
  readonly signer: SellerTarget['signer'];
  readonly signal: AbortSignal;
  /** Largest answer that is read, in bytes, where the call wants less than every other may bring. */
  readonly maxAnswerBytes?: number;
  readonly wantsText?: true;
  /** The JSON text that was read last, where it is wanted. */
  text?: string;
  /** Set by our own `fetch`: more exact than whatever the library makes of it. */
  failure?: TransportFailure;
}

export function exchangeOf(
  target: SellerTarget,
  signal: AbortSignal,
  { maxAnswerBytes, wantsText }: Pick<SellerCall, 'maxAnswerBytes' | 'wantsText'> = {},
): Exchange {
  const bound = {
    ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes }),
    ...(wantsText === undefined ? {} : { wantsText }),
  };
  const { organizationId, connectionId } = target;
  const to = { organizationId, connectionId };
  return { to, credential: target.credential, signer: target.signer, signal, ...bound };
}

/** The text of the answer as its member, where it was wanted. */
export function textOf({ text }: Exchange): Pick<SellerAnswer, 'text'> {
  return text === undefined ? {} : { text };
}

/** What the sessions need of the world. */
export interface Wires {
  readonly egress: Pick<Egress, 'fetchLike'>;
  /** Whether an emergency stop holds this seller now; asked before each request, so that a slow handshake is held too. */
  readonly isStopped: (to: Exchange['to']) => Promise<boolean>;
  readonly client: { readonly name: string; readonly version: string };
  readonly maxAnswerBytes: number;
  /** Longest time that making a session may take, in milliseconds. */
  readonly connectTimeoutMs: number;
}
