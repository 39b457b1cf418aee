import type { VerificationStep, VerifierPorts } from '@switchyard/signing';
import type { Secret, StrictJson } from '@switchyard/values';
import type { WebhookRegistration } from './inbox-port.js';

/** Whose message it is, proven in the mode of the registration. */
export interface ProvenSender {
  readonly sender: string;
  readonly keyid?: string;
}

export interface Proof extends ProvenSender {
  readonly ok: true;
  readonly steps: readonly VerificationStep[];
  readonly json?: StrictJson;
}

export interface ProofFailure {
  readonly ok: false;
  readonly httpStatus: 401 | 503;
  readonly code: string;
  readonly message: string;
  readonly wwwAuthenticate?: string;
  readonly steps: readonly VerificationStep[];
  /** Set when the sender was proven before something else failed: its bytes are worth keeping. */
  readonly by?: ProvenSender;
}

export interface ProofPorts extends VerifierPorts {
  /** The shared secret that the registration names; nothing when the vault does not open it now. */
  readonly secret?: () => Promise<Secret | undefined>;
  /** Our own credential at the seller, in each way in which it may write it back at us. Absent: none. */
  readonly localCredentials?: () => Promise<readonly string[]>;
}

/** No `agent_url` can be this: those are addresses. */
export function connectionSender({ connectionId }: WebhookRegistration): string {
  return `connection:${connectionId}`;
}

export function signatureRefusal(
  code: string,
  message: string,
  steps: readonly VerificationStep[],
): ProofFailure {
  return { ok: false, httpStatus: 401, code, message, steps, wwwAuthenticate: `Signature error="${code}"` };
}
