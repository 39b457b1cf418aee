export { signRequest, type SignatureHeaders } from './sign.js';
export { generateSigningKey, proofPurpose, publicJwk, publicPart, type SigningKey } from './jwk.js';
export type { SignatureAlgorithm } from './algorithm.js';
export {
  noRevocations,
  type KeyExplanation,
  type KeyFailure,
  type KeySource,
  type ReplayStore,
  type ResolvedKey,
  type RevocationSource,
  type SharedReplayStore,
  type UnclaimedNonce,
} from './ports.js';
export {
  replayableMs,
  requestProfile,
  webhookProfile,
  type SigningNames,
  type SigningProfile,
} from './profile.js';
export type {
  NotVerified,
  ReceivedMessage,
  Verdict,
  VerificationStep,
  VerifiedSigner,
} from './verify/verdict.js';
export { signatureCode, usedNonceSteps, verifySignature } from './verify/verify.js';
export type { VerifierPorts } from './verify/verify-step.js';
export { signaturePresence } from './verify/read-signature.js';
export { registersLegacyWebhook } from './verify/request-policy.js';
export { memoryReplayStore } from './memory-ports.js';
export {
  isModeMismatch,
  webhookModeMismatch,
  type LegacyHeaderNames,
  type WebhookMode,
} from './webhook-mode.js';
export { judgeLegacySecret } from './legacy/legacy-secret.js';
export { verifyLegacyWebhook } from './legacy/legacy-webhook.js';
export { signLegacyWebhook } from './legacy/sign-legacy-webhook.js';
export {
  type KeyCustody,
  type PlatformKey,
  type PlatformKeyState,
  type PlatformKeyStore,
  type PublishedKey,
  keyThumbprint,
  openPrivateHalf,
  privateHalf,
} from './keys/platform-key.js';
export { defaultRotationTimes, planRotation, type RotationTimes } from './keys/plan-rotation.js';
export type { KeyService } from './keys/key-service.js';
export { p1363OfDer } from './keys/p1363-of-der.js';
export { peekSignature } from './keys/peek-signature.js';
export {
  signMessage,
  type KeyInUse,
  type MessageToSign,
  type SigningFailure,
  type SigningTerms,
} from './keys/sign-message.js';
export { readCapture } from './capture.js';
export { verifyCapture, type CaptureSetting, type CaptureVerdict } from './verify/verify-capture.js';
export { verifyBase } from './verify/verify-base.js';
export { isPublishedTestKey } from './verify/published-test-key.js';
