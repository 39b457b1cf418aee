import type { VerificationStep, VerifierPorts } from '@switchyard/signing';
import type { Secret, StrictJson } from '@switchyard/values';
import type { WebhookRegistration } from './inbox-port.js';

/** The sender, proven in the mode of the registration. */
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
  /** Set when the sender was proven before another check failed: its bytes are then stored. */
  readonly by?: ProvenSender;
}

export interface ProofPorts extends VerifierPorts {
  /** The shared secret of the registration; undefined when the vault cannot open it now. */
  readonly secret?: () => Promise<Secret | undefined>;
  /** Our own credential at the seller, in each encoding in which a body may contain it. Absent: none. */
  readonly localCredentials?: () => Promise<readonly string[]>;
}

/** Cannot be equal to an `agent_url`, which is a URL. */
export function connectionSender({ connectionId }: WebhookRegistration): string {
  return `connection:${connectionId}`;
}

export const notAccepted = 'The signature is not accepted.';

export function signatureRefusal(
  code: string,
  message: string,
  steps: readonly VerificationStep[],
): ProofFailure {
  return { ok: false, httpStatus: 401, code, message, steps, wwwAuthenticate: `Signature error="${code}"` };
}
