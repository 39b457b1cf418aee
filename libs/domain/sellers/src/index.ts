export { readClientCertificate } from './client-certificate.js';
export type { Connection, SellerKind } from './connection.js';
export { reportModeAfter, reportModeOf, type ReportMode } from './report-mode.js';
export { callSignerFor, signatureRequirement, type CallSigner, type PrincipalSigner } from './call-signer.js';
export { targetOf } from './target-of.js';
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
export { withLifecycleSellers } from './lifecycle-sellers.js';
export {
  egressCaps,
  type BoundedFetch,
  type Egress,
  type EgressFailure,
  type ClientCertificate,
  type ConnectFault,
  type EgressFailureCode,
  type EgressPolicy,
  type EgressRequest,
  type TxtLookup,
} from './egress-port.js';
export { defaultBreakerPolicy, type Verdict } from './breaker.js';
export { BreakerBoard, type BreakerKey, type CredentialVersion, type Ticket } from './breaker-board.js';
export type { HealthChange } from './health-sink.js';
export {
  batchText,
  contentQuestion,
  contentTask,
  judgeContent,
  pulledBatch,
  readContentBatch,
  readVerdicts,
  recordsOf,
  type ContentBatch,
  type ContentCheck,
  type ContentFailure,
  type DeliveredContent,
} from './governance/delivered-content.js';
export { askedBecause, readListChange, type ListChange, type ListKind } from './governance/list-change.js';
export {
  binds,
  changeKinds,
  changeRead,
  differenceOf,
  questionOf,
  readThingPage,
  thingOf,
  thingKey,
  thingsIn,
  thingOfList,
  type Difference,
  type OwnedThing,
  type ThingRead,
} from './governance/owned-thing.js';
export { breakingChanges, capabilityChanges, type CapabilityChange } from './capability-drift.js';
export { Bulkhead } from './bulkhead.js';
export { capabilitiesFreshMs, capabilitiesPauseMs, nextLookAt } from './capabilities-freshness.js';
export type {
  AgedSeller,
  ConnectionDirectory,
  ConnectionHealth,
  ConnectionPatch,
  DiscoveredSeller,
  ProbedSeller,
} from './connection-directory.js';
export { createBrandDocuments, type BrandDocuments } from './keys/brand-documents.js';
export { checkDomain, type DomainCheck } from './keys/check-domain.js';
export {
  createPublisherStatements,
  type PublisherStatement,
  type PublisherStatements,
  type StatementOn,
} from './publishers/publisher-statements.js';
export { isMeantFor } from './governance-context.js';
export { checkConnector, type ConnectorFinding } from './check-connector.js';
export { protocolPattern, traitsOf, type SellerProtocol } from './seller-protocol.js';
export type {
  AskSeller,
  ConnectorAnswer,
  ConnectorCall,
  ConnectorReply,
  ConnectorRequest,
  SellerConnector,
} from './seller-connector.js';
export { queryAgent, type AgentFailure, type SelfDescription } from './query-agent.js';
export { probeSeller, type ProbeFailure } from './probe-seller.js';
export {
  createSignerKeys,
  type SignerKey,
  type SignerKeyFailure,
  type SignerKeys,
} from './keys/signer-keys.js';
export type { QueryCapabilities, CapabilitiesOutage } from './keys/key-capabilities.js';
export { createSellerKeys, type KeyInspector, type SellerKeySource } from './keys/seller-keys.js';
export type { KeyedConnection, KeyWatch } from './keys/key-watch.js';
export type { TrustDocuments } from './keys/trust-documents.js';
export {
  defaultAdmissionLimits,
  judgeAdmissions,
  type AdmissionCounts,
  type AdmissionLimits,
} from './keys/judge-admissions.js';
export { credentialFailure, credentialForms } from './credential-forms.js';
export type {
  AccountsRead,
  BoundUse,
  ListedAccount,
  NamedLogin,
  SellerAccount,
  SellerAccounts,
  StandingAt,
  StoredLogin,
} from './accounts/seller-account.js';
export type { ClientLogin } from './accounts/client-login.js';
export { bindUse, isBound } from './accounts/bind-use.js';
export { readListed } from './accounts/read-listed.js';
export {
  asClient,
  isAboutAccount,
  shownTo,
  throughLogin,
  wantsAccountForProducts,
  wantsListedAccount,
  withoutAccount,
  type ClientAccount,
  type ClientAccounts,
} from './accounts/client-account.js';
export type { Candidate } from './candidates/candidate.js';
export {
  mostSellersInFile,
  readAdsTxt,
  readSellerDocument,
  readSellerTable,
  type SellerFile,
} from './import/seller-file.js';
export type { NamedSeller } from './import/named-seller.js';
export { findCandidates, type FoundAgents } from './candidates/find-candidates.js';
export type { FindDeps } from './candidates/read-sides.js';
export { readFindInput, siteOfUrl } from './candidates/find-input.js';
export {
  isTriedAgain,
  runChecks,
  runState,
  slowPauseMs,
  type CheckResult,
  type StoredCheck,
} from './gate/check.js';
export type { GateContext, SignIn, WantedCredential } from './gate/gate-context.js';
export { hostOf } from './oauth/fetch-document.js';
export { readProtectedResource, type ProtectedResource } from './oauth/protected-resource.js';
export {
  readAuthorizationServer,
  type AuthorizationServer,
  type OAuthGrant,
} from './oauth/authorization-server.js';
export { pinIssuer, type IssuerPin } from './oauth/issuer-pin.js';
export { refreshAt, type SellerAuthorization } from './oauth/seller-authorization.js';
export { listedOnce } from './gate/listed-once.js';
export { wantedCredential } from './gate/reach.js';
export { checkKeys, isCheckKey, sellerChecks } from './gate/seller-checks.js';
export {
  isNightlyDue,
  nightlyState,
  wrongOf,
  type NightlyRun,
  type NightlyRuns,
} from './gate/nightly-run.js';
export { approvedChecks, digestOf, type OnboardingRun, type OnboardingRuns } from './gate/onboarding-run.js';
export { conformanceReport } from './gate/conformance-report.js';
export {
  hasRightsUntil,
  nextRightsEnd,
  rightsEnds,
  type EndingRights,
  changeOf,
  readRevocation,
  usesRights,
  type Revocation,
  type TouchedPackage,
} from './governance/revocation.js';
export { isSameSite } from './keys/same-site.js';
