import type { Buffer } from 'node:buffer';
import type { PrincipalCaller } from '../task-call.js';

/** A sealed request as the relay's door hands it over. Its caller was let in by its own credential at the relay. */
export interface SealedCallIn {
  readonly caller: PrincipalCaller;
  /** Slug of the seller. */
  readonly seller: string;
  readonly protocol: 'mcp' | 'a2a';
  /** Every line of the header, in order. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
  /** Fires when the caller went away. */
  readonly signal: AbortSignal;
  /** Of the one token that the caller showed: what was found out about it is remembered for the next request. */
  readonly tokenHash?: Buffer;
}

/** A sealed request whose caller showed one of our tokens, and nothing else that says who it is. */
export interface KnownCallIn extends Omit<SealedCallIn, 'caller'> {
  readonly tokenHash: Buffer;
}

/** A sealed request whose body is more than the door takes, and was not read. */
export interface OversizedCallIn extends Pick<SealedCallIn, 'caller' | 'seller' | 'protocol'> {
  /** What its header says; absent where it says nothing. */
  readonly declaredBytes?: number;
}

/** What goes back. `recordId` names the record in the chain of custody, which the caller may read. */
export type RelayAnswer =
  | {
      readonly kind: 'refused';
      readonly recordId: string;
      readonly status: number;
      readonly code: string;
      readonly message: string;
      readonly field?: string;
    }
  | {
      readonly kind: 'passed';
      readonly recordId: string;
      readonly status: number;
      /** The seller's, as far as they are about the answer itself. */
      readonly headers: Readonly<Record<string, string>>;
      readonly body: Buffer | ReadableStream<Uint8Array>;
    };

/** Passes sealed requests on, byte for byte. Never rejects for anything that a caller or a seller does. */
export interface Relay {
  pass(call: SealedCallIn): Promise<RelayAnswer>;
  /**
   * Passes a request on by what is remembered of its token and its seller, if all of that is still so. `undefined`: the
   * caller has to be authenticated first, and nothing was written or sent.
   */
  passKnown(call: KnownCallIn): Promise<RelayAnswer | undefined>;
  /** Records that a request was too large to be read, and refuses it. */
  tooLarge(call: OversizedCallIn): Promise<Extract<RelayAnswer, { kind: 'refused' }>>;
}
