export type { TenantScope } from './scope.js';
export {
  campaignReactions,
  loosensRules,
  usualCampaignRules,
  type CampaignReaction,
  type CampaignRules,
} from './campaign-rules.js';
export type { Principal, PrincipalKind } from './principal.js';
export type { Permissions } from './grant.js';
export type {
  Enrolment,
  PrincipalDirectory,
  PrincipalRecord,
  TokenMatch,
  TokenRecord,
  TokenScheme,
} from './principal-directory.js';
export { ownersOfAddress, type AddressDirectory } from './proved-address.js';
export type { IdentityDirectory, NamedPrincipal } from './identity-directory.js';
export type { VouchedIdentity } from './identity.js';
export type { RegisteredSigner, RequestSigner, SignerDirectory, SignerKeys } from './signer-directory.js';
export {
  admitToken,
  cellMark,
  hashOfScheme,
  hashPair,
  hashToken,
  isTokenText,
  newToken,
  tokenLifetimeMs,
  type NewToken,
} from './token.js';
export {
  isOfDomains,
  roleKey,
  rolesOfGroups,
  type GroupRole,
  type PlacedRole,
  type SettledRoles,
  type SignInProvider,
  type SignInProviders,
} from './sign-in-provider.js';
export type { FactorRepository, Factors, PasskeyRecord } from './factor.js';
export type { Invitation, InvitationRepository, InvitedPrincipal } from './invitation.js';
export {
  defaultSignInPolicy,
  demandsSecondFactor,
  isLooserPolicy,
  policyText,
  type SecondFactorOf,
  type SignInPolicies,
  type SignInPolicy,
} from './sign-in-policy.js';
export { passwordFault, type PasswordFault } from './password-rules.js';
export { countAttempt, type Attempts, type AttemptSource, type PasswordRepository } from './password.js';
export {
  expandScopes,
  permissionsOfScopes,
  programKey,
  programPermissions,
  programScopes,
  scopesBuy,
  scopesGiving,
  usualScopes,
} from './program-scopes.js';
export { fourEyesRules, isStepDown, type FourEyes } from './four-eyes.js';
export { joinsDuties } from './joined-duties.js';
export {
  allPermissions,
  firstBeyond,
  narrowed,
  permissionTable,
  readPermissions,
  usualPermissions,
  authorize,
  type AuthorizableCaller,
} from './authorize.js';
export {
  directGrant,
  eitherReach,
  firstBeyondReach,
  isInReach,
  ownReach,
  reachOf,
  seesSellers,
  type Belongings,
  type LimitedReach,
  type Reach,
  mayActFor,
  type ActedFor,
  operatorAreas,
  visibleTo,
} from './reach.js';
export { type Grant, type GrantScope } from './grant.js';
export {
  isHostName,
  isLoopbackName,
  isOwnOperator,
  isTimeZone,
  type DomainProof,
  type Organization,
} from './organization.js';
export { builtInRoles, firstBeyondPrincipal, roleGrant, withFewerPermissions, withRoles } from './roles.js';
export type { GrantDirectory, GrantRecord, PlacedGrant } from './grant-directory.js';
export type { Team, TeamDirectory } from './team-directory.js';
export type { ListSort, ObjectFilter, TimeFilter } from './list-filter.js';
export type {
  AccountHold,
  DeclaredAccount,
  AccountRepository,
  AccountChange,
  AccountRecord,
  HoldChange,
} from './account-repository.js';
export { planAccounts, type BrandWord } from './plan-accounts.js';
export { accountGate, resolveAccount, type AccountFailure } from './resolve-account.js';
export { alarmKinds, type Alarm, type AlarmRepository, type AlarmKind, type AlarmToRaise } from './alarm.js';
export { readStopTarget, type IsStopped, type Stop, type StopRepository, type StopTarget } from './stop.js';
