export type {
  Connection,
  ConnectionState,
  LegacyWebhooks,
  ReportRegistration,
  SellerKind,
} from './connection.js';
export { reportModeAfter, reportModeOf, type ReportMode } from './report-mode.js';
export {
  callSignerFor,
  signatureWish,
  type CallSigner,
  type PrincipalSigner,
  type SignedTask,
} from './call-signer.js';
export { heldBackCredential } from './hold-back-credential.js';
export type {
  SellerAnswer,
  SellerCall,
  SellerLane,
  SellerLanes,
  SellerTarget,
  SellerTransport,
  TransportFailure,
  TransportFailureCode,
} from './transport.js';
export {
  egressCaps,
  type BoundedFetch,
  type Egress,
  type EgressAnswer,
  type EgressFailure,
  type ConnectFault,
  type EgressFailureCode,
  type EgressPolicy,
  type EgressPost,
  type EgressReply,
  type EgressRequest,
  type TxtLookup,
} from './egress-port.js';
export {
  admit,
  closedBreaker,
  defaultBreakerPolicy,
  record,
  type Admission,
  type BreakerPhase,
  type BreakerPolicy,
  type BreakerState,
  type Verdict,
} from './breaker.js';
export {
  BreakerBoard,
  type BreakerKey,
  type CredentialVersion,
  type Ticket,
  type TicketOrRefusal,
} from './breaker-board.js';
export type { HealthChange, HealthSink } from './health-sink.js';
export { Bulkhead } from './bulkhead.js';
export {
  capabilitiesFreshness,
  capabilitiesPauseMs,
  defaultCapabilitiesTtl,
  type CapabilitiesFreshness,
  type CapabilitiesTtl,
} from './capabilities-freshness.js';
export type {
  AgedSeller,
  ConnectionDirectory,
  ConnectionHealth,
  ConnectionPatch,
  DiscoveredSeller,
  KeySetChange,
  LookedAt,
} from './connection-directory.js';
export { createBrandDocuments, type BrandDocuments } from './keys/brand-documents.js';
export { checkDomain, type DomainCheck, type DomainClaim } from './keys/check-domain.js';
export {
  createPublisherWords,
  type PublisherWord,
  type PublisherWords,
  type UnverifiedReason,
  type WordOn,
} from './publishers/publisher-words.js';
export type { Delegation } from './publishers/read-authorizations.js';
export { isMeantFor } from './governance-context.js';
export {
  queryAgent,
  type AgentRequest,
  type AgentFailure,
  type SelfDescription,
  type Tools,
} from './query-agent.js';
export { probeSeller, type ProbeFailure } from './probe-seller.js';
export {
  createSignerKeys,
  type SignerKey,
  type SignerKeyFailure,
  type SignerKeys,
  type SignerKeysOptions,
} from './keys/signer-keys.js';
export type { QueryCapabilities, CapabilitiesOutage } from './keys/asked-capabilities.js';
export { createSellerKeys, type SellerKeySource, type SellerKeysOptions } from './keys/seller-keys.js';
export { noKeyWatch, type KeyedConnection, type KeyWatch } from './keys/key-watch.js';
export { memoryTrustDocuments, type TrustDocument, type TrustDocuments } from './keys/trust-documents.js';
export {
  defaultAdmissionLimits,
  judgeAdmissions,
  type AdmissionClause,
  type AdmissionCounts,
  type AdmissionLimits,
} from './keys/judge-admissions.js';
export { credentialForms } from './credential-forms.js';
