import { registerAccounts } from './commands/people/accounts.js';
import { registerAlarms } from './commands/sellers/alarms.js';
import { registerApprovals } from './commands/buys/approvals.js';
import { registerRequest } from './commands/buys/ask.js';
import { registerAudit } from './commands/people/audit.js';
import { registerKeyring } from './commands/keyring.js';
import { registerBackup } from './commands/backup.js';
import { registerInsertionOrders } from './commands/finance/insertion-orders.js';
import { registerBilling } from './commands/finance/billing.js';
import { registerFiles } from './commands/files.js';
import { registerReports } from './commands/reports.js';
import { registerBooks } from './commands/finance/books.js';
import { registerBreaks } from './commands/finance/breaks.js';
import { registerBuy } from './commands/buys/buy.js';
import { registerBuys } from './commands/buys/buys.js';
import { registerChanges } from './commands/changes.js';
import { registerCampaigns } from './commands/business/campaigns.js';
import { registerBrands, registerClients } from './commands/business/clients.js';
import { registerCredentials } from './commands/sellers/credentials.js';
import { registerCreatives } from './commands/buys/creatives.js';
import { registerCustody } from './commands/relay/custody.js';
import { registerDelegations } from './commands/relay/delegations.js';
import { registerCases } from './commands/sellers/cases.js';
import { registerDisputes } from './commands/finance/disputes.js';
import { registerDoctor } from './commands/doctor.js';
import { registerEvents } from './commands/webhooks/events.js';
import { registerGrants } from './commands/people/grants.js';
import { registerFigures } from './commands/finance/figures.js';
import { registerInvoices } from './commands/finance/invoices.js';
import { registerJobs } from './commands/jobs.js';
import { registerKeys } from './commands/keys/keys.js';
import { registerLedger } from './commands/ledger/ledger.js';
import { registerMe } from './commands/people/me.js';
import { registerLimits, registerRates } from './commands/business/limits.js';
import { registerMigrate } from './commands/migrate.js';
import { registerOrganizations } from './commands/business/organizations.js';
import { registerEndpoints } from './commands/notices/endpoints.js';
import { registerNotices } from './commands/notices/notices.js';
import { registerPacing } from './commands/finance/pacing.js';
import { registerPayments } from './commands/finance/payments.js';
import { registerNotes } from './commands/business/notes.js';
import { registerPlans } from './commands/business/plans.js';
import { registerPeriods } from './commands/finance/periods.js';
import { registerPrincipals } from './commands/people/principals.js';
import { registerScim } from './commands/people/scim.js';
import { registerSigners } from './commands/people/signers.js';
import { registerRelay } from './commands/relay/relay.js';
import { registerSandbox } from './commands/sandbox/history.js';
import { registerOutgoing } from './commands/webhooks/outgoing.js';
import { registerSearch } from './commands/search.js';
import { registerSellers } from './commands/sellers/sellers.js';
import { registerSettings } from './commands/settings.js';
import { registerSignatures } from './commands/keys/signatures.js';
import { registerContacts } from './commands/sellers/contacts.js';
import { registerStops } from './commands/sellers/stops.js';
import { registerStatement } from './commands/finance/statement.js';
import { registerTeams } from './commands/people/teams.js';
import { registerTasks } from './commands/buys/tasks.js';
import { registerToken } from './commands/people/token.js';
import { registerUp } from './commands/up.js';
import { registerVerify } from './commands/verify.js';
import { registerLists } from './list-commands.js';
import type { RegisterCommand } from './program.js';

/** Every command, in the order in which help names them. */
export const commands: readonly RegisterCommand[] = [
  registerUp,
  registerMigrate,
  registerSettings,
  registerDoctor,
  registerBackup,
  registerReports,
  registerFiles,
  registerKeyring,
  registerRequest,
  registerBuy,
  registerBuys,
  registerClients,
  registerBrands,
  registerCampaigns,
  registerNotes,
  registerPlans,
  registerTasks,
  registerAccounts,
  registerApprovals,
  registerCreatives,
  registerSearch,
  registerSellers,
  registerContacts,
  registerStops,
  registerEvents,
  registerOutgoing,
  registerChanges,
  registerJobs,
  registerNotices,
  registerEndpoints,
  registerLedger,
  registerLimits,
  registerRates,
  registerFigures,
  registerInvoices,
  registerBreaks,
  registerCases,
  registerDisputes,
  registerPayments,
  registerPeriods,
  registerBilling,
  registerInsertionOrders,
  registerBooks,
  registerPacing,
  registerStatement,
  registerSandbox,
  registerToken,
  registerOrganizations,
  registerPrincipals,
  registerScim,
  registerGrants,
  registerTeams,
  registerMe,
  registerSigners,
  registerDelegations,
  registerRelay,
  registerCustody,
  registerCredentials,
  registerKeys,
  registerAlarms,
  registerAudit,
  registerSignatures,
  registerVerify,
  registerLists,
];
