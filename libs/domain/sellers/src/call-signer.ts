import { dialects, type Dialect } from '@switchyard/protocol';
import type { MessageToSign, SignatureHeaders, SigningFailure, SigningTerms } from '@switchyard/signing';
import type { Result } from '@switchyard/values';
import { traitsOf } from './seller-protocol.js';
import type { Connection } from './connection.js';

/** Signs requests to one seller. The key is never exposed: a transport passes a message and gets headers. */
export interface CallSigner {
  /** The principal that signs. Sessions of different signers are separate. */
  readonly principalId: string;
  /** Makes a new signature with a new nonce at each call: a repeated request is signed again. */
  sign(message: MessageToSign): Promise<Result<SignatureHeaders, SigningFailure>>;
}

/** Signs messages with one principal's key. The key is read when it is used, not when the signer is made. */
export interface PrincipalSigner {
  readonly principalId: string;
  sign(
    message: MessageToSign,
    terms: Pick<SigningTerms, 'tag' | 'coversDigest'>,
  ): Promise<Result<SignatureHeaders, SigningFailure>>;
}

/** The names of a task. */
interface SignedTask {
  readonly name: string;
  readonly names: Readonly<Record<Dialect, readonly string[]>>;
}

/** The protocol method that carries a task without its own method. */
/**
 * Returns whether a seller requires or supports a signature on a task, from its capabilities
 * (docs/protocol/signing.md#requests-to-sellers). Tasks and protocol methods are separate lists: a task is sent under
 * its own method, such as `tasks/cancel` over A2A, or under the method that carries all tasks.
 */
export function signatureRequirement(
  connection: Pick<Connection, 'capabilities' | 'wantsRelaySignature'> &
    Partial<Pick<Connection, 'protocol'>>,
  task: SignedTask,
): 'required' | 'supported' | 'no' {
  if (connection.wantsRelaySignature === true) return 'required';
  const signing = connection.capabilities?.requestSigning;
  if (signing?.supported !== true) return 'no';
  const names = [task.name, ...task.names.ads, ...task.names.adcp];
  const { carrier } = traitsOf(connection.protocol ?? '');
  const carriedBy = carrier === undefined ? [] : [carrier];
  const methods = [...names.filter((name) => name.includes('/')), ...carriedBy];
  const isIn = (tasks: readonly string[] = [], ofProtocol: readonly string[] = []): boolean =>
    names.some((name) => tasks.includes(name)) || methods.some((name) => ofProtocol.includes(name));
  if (signing.required === true || isIn(signing.requiredFor, signing.methodsRequiredFor)) return 'required';
  return isIn(signing.supportedFor, signing.methodsSupportedFor) ? 'supported' : 'no';
}

/** Returns the signer for one call, or `undefined` if the seller wants no signature or there is no signer. */
export function callSignerFor(
  connection: Pick<Connection, 'capabilities' | 'dialect' | 'wantsRelaySignature'> &
    Partial<Pick<Connection, 'protocol'>>,
  task: SignedTask,
  signer: PrincipalSigner | undefined,
): CallSigner | undefined {
  if (signer === undefined || signatureRequirement(connection, task) === 'no') return undefined;
  const terms = {
    tag: dialects[connection.dialect].requestTag,
    coversDigest: connection.capabilities?.requestSigning.contentDigest !== 'forbidden',
  };
  return { principalId: signer.principalId, sign: (message) => signer.sign(message, terms) };
}
