export { signRequest, type RequestToSign, type SignatureHeaders } from './sign.js';
export { generateSigningKey, publicJwk, type SigningKey } from './jwk.js';
export { contentDigestOf } from './content-digest.js';
export { canonicalTarget, type CanonicalTarget } from './canonical-url.js';
export { isSignatureAlgorithm, type SignatureAlgorithm } from './algorithm.js';
export {
  noRevocations,
  type KeyFailure,
  type KeySource,
  type ReplayStore,
  type ResolvedKey,
  type RevocationSource,
} from './ports.js';
export { requestProfile, webhookProfile, type SigningNames, type SigningProfile } from './profile.js';
export type {
  NotVerified,
  ReceivedMessage,
  SignatureFault,
  Verdict,
  VerificationStep,
  Verified,
  VerifiedSigner,
} from './verdict.js';
export { signatureCode, verifySignature } from './verify.js';
export type { VerifierPorts } from './verify-step.js';
export { signaturePresence } from './read-signature.js';
export {
  registersLegacyWebhook,
  signatureDemand,
  type RequestSigningPolicy,
  type RequestToJudge,
} from './request-policy.js';
export { memoryReplayStore } from './memory-ports.js';
