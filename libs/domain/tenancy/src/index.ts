export type { TenantScope } from './scope.js';
export type { Permissions, Principal, PrincipalKind } from './principal.js';
export type {
  Enrolment,
  PrincipalDirectory,
  PrincipalRecord,
  TokenMatch,
  TokenRecord,
  TokenScheme,
} from './principal-directory.js';
export type {
  IdentityDirectory,
  IdentityKind,
  NamedPrincipal,
  VouchedIdentity,
} from './identity-directory.js';
export type { RegisteredSigner, RequestSigner, SignerDirectory, SignerKeys } from './signer-directory.js';
export {
  admitToken,
  hashOfScheme,
  hashPair,
  hashToken,
  isTokenText,
  newToken,
  tokenLifetimeMs,
} from './token.js';
export type { FactorRepository, Factors, PasskeyHolder, PasskeyRecord } from './factor.js';
export type { Invitation, InvitationPage, InvitationRepository, Newcomer } from './invitation.js';
export { passwordLock, type PasswordHolder, type PasswordRepository } from './password.js';
export type { NewToken, TokenRefusal } from './token.js';
export {
  allPermissions,
  firstBeyond,
  narrowed,
  permissionTable,
  readPermissions,
  usualPermissions,
} from './permission-table.js';
export { authorize, type AuthorizableCaller, type AuthorizationFailure, type Need } from './authorize.js';
export {
  directGrant,
  eitherReach,
  firstBeyondReach,
  isInReach,
  ownReach,
  reachOf,
  type Belongings,
  type Grant,
  type Grantee,
  type GrantScope,
  type LimitedReach,
  type Reach,
} from './reach.js';
export {
  isHostName,
  isLoopbackName,
  isOwnOperator,
  isTimeZone,
  type DomainProof,
  type Organization,
} from './organization.js';
export { builtInRoles, firstBeyondPrincipal, roleGrant, withFewerPermissions, withRoles } from './roles.js';
export type { GrantDirectory, GrantPage, GrantRecord, PlacedGrant, RoleRecord } from './grant-directory.js';
export type { RemovedTeam, Team, TeamDirectory, TeamPage, TeamWithMembers } from './team-directory.js';
export type { ListSort, ObjectFilter, TimeFilter } from './list-filter.js';
export { operatorAreas, visibleTo, type Viewer, type Visibility } from './visible-to.js';
export type { AccountHold, DeclaredAccount } from './account.js';
export type {
  AccountRepository,
  AccountChange,
  AccountFilter,
  AccountOfSomebody,
  AccountRecord,
  HoldChange,
  NewAccount,
} from './account-repository.js';
export { accountGate, type GateCode, type GateRefusal } from './account-gate.js';
export { planAccounts, type AccountsRequest, type AccountsPlan, type BrandWord } from './plan-accounts.js';
export {
  resolveAccount,
  type AccountFailure,
  type AccountFinding,
  type AccountQuestion,
} from './resolve-account.js';
export {
  alarmKinds,
  type Alarm,
  type AlarmFilter,
  type AlarmRepository,
  type AlarmKind,
  type AlarmToRaise,
} from './alarm.js';
export {
  readStopTarget,
  type IsStopped,
  type Stop,
  type StopKind,
  type StopRepository,
  type StopTarget,
} from './stop.js';
