import { membersWithin } from '@switchyard/values';
import type { Egress, SellerAnswer, SellerCall, SellerTarget, TransportFailure } from '@switchyard/sellers';

/** Limits of a seller's answer, beside its bytes: far above a real one, and low enough for every later step. */
export const answerBounds = { maxDepth: 64, maxMembers: 160_000, maxWidth: 40_000 } as const;

/** One call: its target, its signal, and the failure below the library that carries it. */
export interface Exchange {
  readonly to: Pick<SellerTarget, 'organizationId' | 'connectionId'>;
  readonly credential: SellerTarget['credential'];
  readonly signer: SellerTarget['signer'];
  readonly signal: AbortSignal;
  /** Largest answer that is read, in bytes, if the call allows less than the default. */
  readonly maxAnswerBytes?: number;
  readonly mayRead?: SellerCall['mayRead'];
  readonly wantsText?: true;
  /** The JSON text that was read last, if it is wanted. */
  text?: string;
  /** Set by our `fetch`: more exact than the error of the library. */
  failure?: TransportFailure;
}

export function exchangeOf(
  target: SellerTarget,
  signal: AbortSignal,
  { maxAnswerBytes, mayRead, wantsText }: Pick<SellerCall, 'maxAnswerBytes' | 'mayRead' | 'wantsText'> = {},
): Exchange {
  const bound = {
    ...(mayRead === undefined ? {} : { mayRead }),
    ...(maxAnswerBytes === undefined ? {} : { maxAnswerBytes }),
    ...(wantsText === undefined ? {} : { wantsText }),
  };
  const { organizationId, connectionId } = target;
  const to = { organizationId, connectionId };
  return { to, credential: target.credential, signer: target.signer, signal, ...bound };
}

/** Length, in characters, from which counting, parsing and returning an answer each take a turn of the event loop. */
export const longAnswer = 64 * 1024;

/** Whether an answer is over its bounds, or is long and its caller has no more room. Called before it is parsed. */
export function isTooLarge(text: string, { mayRead }: Pick<Exchange, 'mayRead'>): boolean {
  const members = membersWithin(text, answerBounds);
  return members === undefined || (text.length > longAnswer && mayRead?.(members) === false);
}

/** The text of the answer as a member, if it was wanted. */
export function textOf({ text }: Exchange): Pick<SellerAnswer, 'text'> {
  return text === undefined ? {} : { text };
}

/** What the sessions need from outside. */
export interface Wires {
  readonly egress: Pick<Egress, 'fetchLike'>;
  /** Whether an emergency stop applies to this seller. Checked before each request, also of a handshake. */
  readonly isStopped: (to: Exchange['to']) => Promise<boolean>;
  readonly client: { readonly name: string; readonly version: string };
  readonly maxAnswerBytes: number;
  /** Longest time to open a session, in milliseconds. */
  readonly connectTimeoutMs: number;
}
