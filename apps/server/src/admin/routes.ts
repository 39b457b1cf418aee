import { accountRoutes, type AccountsDeps } from './accounts.js';
import { alarmRoutes, type AlarmsDeps } from './alarms.js';
import { approvalRoutes, type ApprovalsDeps } from './approvals.js';
import { buyRoutes, type BuysDeps } from './buys.js';
import { credentialRoutes, type CredentialsDeps } from './credentials.js';
import { custodyRoutes, type CustodyDeps } from './custody.js';
import { delegationRoutes, type DelegationsDeps } from './delegations.js';
import { eventRoutes, type EventsDeps } from './events.js';
import { ledgerRoutes, type LedgerDeps } from './ledger.js';
import { sellerRoutes, type SellersDeps } from './sellers.js';
import { tokenRoutes, type TokensDeps } from './tokens.js';
import type { CheckedRequest, Route, RouteAnswer } from './route.js';

/** Everything that the routes of administration need: each noun names its own part. */
export type AdminDeps = AccountsDeps &
  AlarmsDeps &
  ApprovalsDeps &
  BuysDeps &
  CredentialsDeps &
  CustodyDeps &
  DelegationsDeps &
  EventsDeps &
  LedgerDeps &
  SellersDeps &
  TokensDeps;

/** Every route of administration: what is served, what is described in `/openapi.json`, what the specs walk through. */
export const adminRoutes: readonly Route<AdminDeps>[] = [
  ...accountRoutes,
  ...alarmRoutes,
  ...approvalRoutes,
  ...buyRoutes,
  ...credentialRoutes,
  ...custodyRoutes,
  ...delegationRoutes,
  ...eventRoutes,
  ...ledgerRoutes,
  ...sellerRoutes,
  ...tokenRoutes,
];

/** Does what a route is there for. The doors are given this, and know nothing of what the routes work on. */
export type RunRoute = (route: Route<AdminDeps>, request: CheckedRequest) => Promise<RouteAnswer>;
