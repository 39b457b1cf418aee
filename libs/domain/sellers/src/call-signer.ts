import { dialects, type Dialect } from '@switchyard/protocol';
import type { MessageToSign, SignatureHeaders, SigningFailure, SigningTerms } from '@switchyard/signing';
import type { Result } from '@switchyard/values';
import type { Connection } from './connection.js';

/** Signs requests on their way to one seller. Its key never shows: a transport hands in bytes and gets headers. */
export interface CallSigner {
  /** Whose signature it is. Sessions that are opened under different signatures are kept apart. */
  readonly principalId: string;
  /** A new signature, with a new nonce, at each call: what is sent again is signed again. */
  sign(message: MessageToSign): Promise<Result<SignatureHeaders, SigningFailure>>;
}

/** One principal's key, for whatever its messages are. Made without asking for the key, which happens at its use. */
export interface PrincipalSigner {
  readonly principalId: string;
  sign(
    message: MessageToSign,
    terms: Pick<SigningTerms, 'tag' | 'coversDigest'>,
  ): Promise<Result<SignatureHeaders, SigningFailure>>;
}

/** A task as far as its names go. */
export interface SignedTask {
  readonly name: string;
  readonly names: Readonly<Record<Dialect, readonly string[]>>;
}

/** The method of the protocol that carries a task which has no method of its own. */
const carrier = { mcp: 'tools/call', a2a: 'message/send' } as const;

/**
 * Whether a seller asks for a signature on a task, by what it declares of itself
 * (docs/protocol/signing.md#requests-to-sellers). Tasks and methods of the protocol are lists of their own: a task goes
 * out under its own method, as `tasks/cancel` does over A2A, or under the one that carries them all.
 */
export function signatureWish(
  connection: Pick<Connection, 'capabilities' | 'wantsRelaySignature'> &
    Partial<Pick<Connection, 'protocol'>>,
  task: SignedTask,
): 'required' | 'supported' | 'no' {
  if (connection.wantsRelaySignature === true) return 'required';
  const signing = connection.capabilities?.requestSigning;
  if (signing?.supported !== true) return 'no';
  const names = [task.name, ...task.names.ads, ...task.names.adcp];
  const carriedBy = connection.protocol === undefined ? [] : [carrier[connection.protocol]];
  const methods = [...names.filter((name) => name.includes('/')), ...carriedBy];
  const isIn = (tasks: readonly string[] = [], ofProtocol: readonly string[] = []): boolean =>
    names.some((name) => tasks.includes(name)) || methods.some((name) => ofProtocol.includes(name));
  if (signing.required === true || isIn(signing.requiredFor, signing.methodsRequiredFor)) return 'required';
  return isIn(signing.supportedFor, signing.methodsSupportedFor) ? 'supported' : 'no';
}

/** The signer for one call, or nothing where the seller does not ask for a signature or nobody is there to sign. */
export function callSignerFor(
  connection: Pick<Connection, 'capabilities' | 'dialect' | 'wantsRelaySignature'> &
    Partial<Pick<Connection, 'protocol'>>,
  task: SignedTask,
  signer: PrincipalSigner | undefined,
): CallSigner | undefined {
  if (signer === undefined || signatureWish(connection, task) === 'no') return undefined;
  const terms = {
    tag: dialects[connection.dialect].requestTag,
    coversDigest: connection.capabilities?.requestSigning.contentDigest !== 'forbidden',
  };
  return { principalId: signer.principalId, sign: (message) => signer.sign(message, terms) };
}
