import { accountRoutes } from '../business/accounts.routes.js';
import { alarmRoutes } from '../sellers/alarms.routes.js';
import { approvalRoutes } from '../buys/approvals.routes.js';
import { auditRoutes } from '../people/audit.routes.js';
import { bookRoutes } from '../finance/books.routes.js';
import { brandRoutes } from '../business/brands.routes.js';
import { buyRoutes } from '../buys/buys.routes.js';
import { campaignRuleRoutes } from '../business/campaign-rules.routes.js';
import { campaignRoutes } from '../business/campaigns.routes.js';
import { clientRoutes } from '../business/clients.routes.js';
import { commitmentRoutes } from '../business/commitments.routes.js';
import { credentialRoutes } from '../sellers/credentials.routes.js';
import { custodyRoutes } from '../relay/custody/custody.routes.js';
import { delegationRoutes } from '../relay/delegations/delegations.routes.js';
import { eventRoutes } from '../webhooks/in/events.routes.js';
import { factorRoutes } from '../people/factors.routes.js';
import { figureRoutes } from '../finance/figures.routes.js';
import { fileRoutes } from '../finance/files.routes.js';
import { grantRoutes } from '../people/grants.routes.js';
import { identityRoutes } from '../people/identities.routes.js';
import { invitationRoutes } from '../people/invitations.routes.js';
import { invoiceRoutes } from '../finance/invoices.routes.js';
import { keyRoutes } from '../keys/keys.routes.js';
import { ledgerRoutes } from '../ledger/ledger.routes.js';
import { ledgerAnchorRoutes } from '../ledger/ledger-anchors.routes.js';
import { limitRoutes } from '../business/limits.routes.js';
import { meRoutes } from '../business/me.routes.js';
import { outgoingRoutes } from '../webhooks/out/outgoing.routes.js';
import { organizationRoutes } from '../business/organizations.routes.js';
import { pacingRoutes } from '../finance/pacing.routes.js';
import { payableRoutes } from '../finance/payables.routes.js';
import { periodRoutes } from '../finance/periods.routes.js';
import { principalRoutes } from '../people/principals.routes.js';
import { rateRoutes } from '../business/rates.routes.js';
import { reconciliationRoutes } from '../finance/reconciliation.routes.js';
import { searchRoutes } from '../platform/routes/search.routes.js';
import { sellerLifeRoutes } from '../sellers/seller-life.routes.js';
import { findSellersRoutes } from '../sellers/find-sellers.routes.js';
import { sellerRoutes } from '../sellers/sellers.routes.js';
import { sessionRoutes } from '../people/sessions.routes.js';
import { signInPolicyRoutes } from '../people/sign-in-policy.routes.js';
import { signerRoutes } from '../people/signers.routes.js';
import { statementRoutes } from '../finance/statements.routes.js';
import { stopRoutes } from '../sellers/stops.routes.js';
import { teamRoutes } from '../people/teams.routes.js';
import { toleranceRoutes } from '../finance/tolerances.routes.js';
import { tokenRoutes } from '../people/tokens.routes.js';
import type { Route } from '../platform/routes/route.js';

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
  findSellersRoutes,
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
