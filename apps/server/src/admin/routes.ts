import { accountRoutes, type AccountsDeps } from './people/accounts.js';
import { alarmRoutes, type AlarmsDeps } from './sellers/alarms.js';
import { approvalRoutes, type ApprovalsDeps } from './buys/approvals.js';
import { auditRoutes, type AuditDeps } from './people/audit.js';
import { bookRoutes, type BooksDeps } from './finance/books.js';
import { brandRoutes, type BrandsDeps } from './business/brands.js';
import { buyRoutes, type BuysDeps } from './buys/buys.js';
import { campaignRuleRoutes } from './business/campaign-rules.js';
import { campaignRoutes, type CampaignsDeps } from './business/campaigns.js';
import { clientRoutes, type ClientsDeps } from './business/clients.js';
import { credentialRoutes, type CredentialsDeps } from './sellers/credentials.js';
import { custodyRoutes, type CustodyDeps } from './buys/custody.js';
import { delegationRoutes, type DelegationsDeps } from './buys/delegations.js';
import { eventRoutes, type EventsDeps } from './buys/events.js';
import { factorRoutes, type FactorsDeps } from './people/factors.js';
import { figureRoutes, type FiguresDeps } from './finance/figures.js';
import { fileRoutes, type FilesDeps } from './finance/files.js';
import { grantRoutes, type GrantsDeps } from './people/grants.js';
import { identityRoutes, type IdentitiesDeps } from './people/identities.js';
import { invitationRoutes, type InvitationsDeps } from './people/invitations.js';
import { invoiceRoutes, type InvoicesDeps } from './finance/invoices.js';
import { keyRoutes, type KeysDeps } from './people/keys.js';
import { ledgerRoutes, type LedgerDeps } from './finance/ledger.js';
import { ledgerAnchorRoutes, type AnchorsDeps } from './finance/ledger-anchors.js';
import { limitRoutes, type LimitsDeps } from './business/limits.js';
import { meRoutes, type MeDeps } from './people/me.js';
import { outgoingRoutes, type OutgoingDeps } from './buys/outgoing.js';
import { organizationRoutes, type OrganizationsDeps } from './business/organizations.js';
import { pacingRoutes, type PacingDeps } from './finance/pacing.js';
import { payableRoutes, type PayablesDeps } from './finance/payables.js';
import { periodRoutes, type PeriodsDeps } from './finance/periods.js';
import { principalRoutes, type PrincipalsDeps } from './people/principals.js';
import { rateRoutes, type RatesDeps } from './business/rates.js';
import { reconciliationRoutes, type ReconciliationDeps } from './finance/reconciliation.js';
import { searchRoutes, type SearchDeps } from './search.js';
import { sellerLifeRoutes, type SellerLifeDeps } from './sellers/seller-life.js';
import { sellerRoutes, type SellersDeps } from './sellers/sellers.js';
import { sessionRoutes, type SessionsDeps } from './people/sessions.js';
import { signerRoutes, type SignersDeps } from './people/signers.js';
import { statementRoutes, type StatementsDeps } from './finance/statements.js';
import { stopRoutes, type StopsDeps } from './sellers/stops.js';
import { teamRoutes, type TeamsDeps } from './people/teams.js';
import { toleranceRoutes, type TolerancesDeps } from './finance/tolerances.js';
import { tokenRoutes, type TokensDeps } from './people/tokens.js';
import type { CheckedRequest, Route, RouteAnswer } from './route.js';

/** The dependencies of all admin routes: each noun names its own. */
export type AdminDeps = AccountsDeps &
  AlarmsDeps &
  ApprovalsDeps &
  AuditDeps &
  BooksDeps &
  BrandsDeps &
  BuysDeps &
  CampaignsDeps &
  ClientsDeps &
  CredentialsDeps &
  CustodyDeps &
  DelegationsDeps &
  EventsDeps &
  FactorsDeps &
  FiguresDeps &
  FilesDeps &
  GrantsDeps &
  IdentitiesDeps &
  InvitationsDeps &
  InvoicesDeps &
  KeysDeps &
  LedgerDeps &
  AnchorsDeps &
  LimitsDeps &
  MeDeps &
  OrganizationsDeps &
  OutgoingDeps &
  PacingDeps &
  PayablesDeps &
  PeriodsDeps &
  PrincipalsDeps &
  RatesDeps &
  ReconciliationDeps &
  SearchDeps &
  SellerLifeDeps &
  SellersDeps &
  SessionsDeps &
  SignersDeps &
  StatementsDeps &
  StopsDeps &
  TeamsDeps &
  TolerancesDeps &
  TokensDeps;

/** Every admin route: served, described in `/openapi.json`, and walked through by the specs. */
export const adminRoutes: readonly Route<AdminDeps>[] = [
  ...accountRoutes,
  ...alarmRoutes,
  ...approvalRoutes,
  ...auditRoutes,
  ...bookRoutes,
  ...brandRoutes,
  ...buyRoutes,
  ...campaignRoutes,
  ...campaignRuleRoutes,
  ...clientRoutes,
  ...credentialRoutes,
  ...custodyRoutes,
  ...delegationRoutes,
  ...eventRoutes,
  ...factorRoutes,
  ...figureRoutes,
  ...fileRoutes,
  ...grantRoutes,
  ...identityRoutes,
  ...invitationRoutes,
  ...invoiceRoutes,
  ...keyRoutes,
  ...ledgerRoutes,
  ...ledgerAnchorRoutes,
  ...limitRoutes,
  ...meRoutes,
  ...organizationRoutes,
  ...outgoingRoutes,
  ...pacingRoutes,
  ...payableRoutes,
  ...periodRoutes,
  ...principalRoutes,
  ...rateRoutes,
  ...reconciliationRoutes,
  ...searchRoutes,
  ...sellerLifeRoutes,
  ...sellerRoutes,
  ...sessionRoutes,
  ...signerRoutes,
  ...statementRoutes,
  ...stopRoutes,
  ...teamRoutes,
  ...toleranceRoutes,
  ...tokenRoutes,
];

/** Runs the handler of a route. The HTTP layer gets this function, without the dependencies of the routes. */
export type RunRoute = (route: Route<AdminDeps>, request: CheckedRequest) => Promise<RouteAnswer>;
