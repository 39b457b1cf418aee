import { accountRoutes } from './people/accounts.js';
import { alarmRoutes } from './sellers/alarms.js';
import { approvalRoutes } from './buys/approvals.js';
import { auditRoutes } from './people/audit.js';
import { bookRoutes } from './finance/books.js';
import { brandRoutes } from './business/brands.js';
import { buyRoutes } from './buys/buys.js';
import { campaignRuleRoutes } from './business/campaign-rules.js';
import { campaignRoutes } from './business/campaigns.js';
import { clientRoutes } from './business/clients.js';
import { commitmentRoutes } from './business/commitments.js';
import { credentialRoutes } from './sellers/credentials.js';
import { custodyRoutes } from './buys/custody.js';
import { delegationRoutes } from './buys/delegations.js';
import { eventRoutes } from './buys/events.js';
import { factorRoutes } from './people/factors.js';
import { figureRoutes } from './finance/figures.js';
import { fileRoutes } from './finance/files.js';
import { grantRoutes } from './people/grants.js';
import { identityRoutes } from './people/identities.js';
import { invitationRoutes } from './people/invitations.js';
import { invoiceRoutes } from './finance/invoices.js';
import { keyRoutes } from './people/keys.js';
import { ledgerRoutes } from './finance/ledger.js';
import { ledgerAnchorRoutes } from './finance/ledger-anchors.js';
import { limitRoutes } from './business/limits.js';
import { meRoutes } from './people/me.js';
import { outgoingRoutes } from './buys/outgoing.js';
import { organizationRoutes } from './business/organizations.js';
import { pacingRoutes } from './finance/pacing.js';
import { payableRoutes } from './finance/payables.js';
import { periodRoutes } from './finance/periods.js';
import { principalRoutes } from './people/principals.js';
import { rateRoutes } from './business/rates.js';
import { reconciliationRoutes } from './finance/reconciliation.js';
import { searchRoutes } from './search.js';
import { sellerLifeRoutes } from './sellers/seller-life.js';
import { sellerRoutes } from './sellers/sellers.js';
import { sessionRoutes } from './people/sessions.js';
import { signInPolicyRoutes } from './people/sign-in-policy.js';
import { signerRoutes } from './people/signers.js';
import { statementRoutes } from './finance/statements.js';
import { stopRoutes } from './sellers/stops.js';
import { teamRoutes } from './people/teams.js';
import { toleranceRoutes } from './finance/tolerances.js';
import { tokenRoutes } from './people/tokens.js';
import type { CheckedRequest, Route, RouteAnswer } from './route.js';

const routesOfNouns = [
  accountRoutes,
  alarmRoutes,
  approvalRoutes,
  auditRoutes,
  bookRoutes,
  brandRoutes,
  buyRoutes,
  campaignRoutes,
  campaignRuleRoutes,
  clientRoutes,
  commitmentRoutes,
  credentialRoutes,
  custodyRoutes,
  delegationRoutes,
  eventRoutes,
  factorRoutes,
  figureRoutes,
  fileRoutes,
  grantRoutes,
  identityRoutes,
  invitationRoutes,
  invoiceRoutes,
  keyRoutes,
  ledgerRoutes,
  ledgerAnchorRoutes,
  limitRoutes,
  meRoutes,
  organizationRoutes,
  outgoingRoutes,
  pacingRoutes,
  payableRoutes,
  periodRoutes,
  principalRoutes,
  rateRoutes,
  reconciliationRoutes,
  searchRoutes,
  sellerLifeRoutes,
  sellerRoutes,
  sessionRoutes,
  signInPolicyRoutes,
  signerRoutes,
  statementRoutes,
  stopRoutes,
  teamRoutes,
  toleranceRoutes,
  tokenRoutes,
] as const;

type DepsOf<Routes> = Routes extends readonly Route<infer Deps>[] ? (deps: Deps) => void : never;

/** The dependencies of all admin routes: the intersection of what each noun names. */
export type AdminDeps =
  DepsOf<(typeof routesOfNouns)[number]> extends (deps: infer Deps) => void ? Deps : never;

/** Every admin route: served, described in `/openapi.json`, and walked through by the specs. */
export const adminRoutes: readonly Route<AdminDeps>[] = routesOfNouns.flat();

/** Runs the handler of a route. The HTTP layer gets this function, without the dependencies of the routes. */
export type RunRoute = (route: Route<AdminDeps>, request: CheckedRequest) => Promise<RouteAnswer>;
