export type { TenantScope } from './scope.js';
export type { Permissions, Principal, PrincipalKind } from './principal.js';
export type { PrincipalDirectory, TokenMatch, TokenRecord } from './principal-directory.js';
export type { RegisteredSigner, RequestSigner, SignerDirectory, SignerKeys } from './signer-directory.js';
export { admitToken, hashToken, isTokenText, newToken, tokenLifetimeMs } from './token.js';
export type { NewToken, TokenRefusal } from './token.js';
export { allPermissions, operationNeeds, permissionTable, readPermissions } from './permission-table.js';
export type { OperationName } from './permission-table.js';
export { authorize, type AuthorizableCaller, type AuthorizationFailure, type Need } from './authorize.js';
export type { DeclaredAccount } from './account.js';
export {
  resolveAccount,
  type AccountFailure,
  type AccountFinding,
  type AccountQuestion,
} from './resolve-account.js';
