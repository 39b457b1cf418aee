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
export { admitToken, hashPair, hashToken, isTokenText, newToken, tokenLifetimeMs } from './token.js';
export type { NewToken, TokenRefusal } from './token.js';
export {
  allPermissions,
  firstBeyond,
  narrowed,
  operationNeeds,
  permissionTable,
  readPermissions,
  usualPermissions,
} from './permission-table.js';
export type { OperationName } from './permission-table.js';
export { authorize, type AuthorizableCaller, type AuthorizationFailure, type Need } from './authorize.js';
export { operatorAreas, ownerFilter, visibleTo, type Viewer, type Visibility } from './visible-to.js';
export type { AccountHold, DeclaredAccount } from './account.js';
export type {
  AccountRepository as AccountRepository,
  AccountChange,
  AccountOfSomebody,
  AccountRecord,
  HoldChange,
  NewAccount,
} from './account-repository.js';
export { accountGate, type GateCode, type GateRefusal } from './account-gate.js';
export {
  planAccounts,
  type AccountsRequest as AccountsRequest,
  type AccountsPlan,
  type BrandWord,
} from './plan-accounts.js';
export {
  resolveAccount,
  type AccountFailure,
  type AccountFinding,
  type AccountQuestion,
} from './resolve-account.js';
export {
  alarmKinds,
  type Alarm,
  type AlarmRepository as AlarmRepository,
  type AlarmKind,
  type AlarmToRaise,
} from './alarm.js';
