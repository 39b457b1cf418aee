import { registerAccounts } from './commands/accounts.js';
import { registerAlarms } from './commands/alarms.js';
import { registerApprovals } from './commands/approvals.js';
import { registerRequest } from './commands/ask.js';
import { registerBuy } from './commands/buy.js';
import { registerBuys } from './commands/buys.js';
import { registerCredentials } from './commands/credentials.js';
import { registerCreatives } from './commands/creatives.js';
import { registerCustody } from './commands/custody.js';
import { registerDelegations } from './commands/delegations.js';
import { registerEvents } from './commands/events.js';
import { registerKeys } from './commands/keys.js';
import { registerLedger } from './commands/ledger.js';
import { registerMigrate } from './commands/migrate.js';
import { registerPrincipals } from './commands/principals.js';
import { registerSigners } from './commands/signers.js';
import { registerRelay } from './commands/relay.js';
import { registerSellers } from './commands/sellers.js';
import { registerSettings } from './commands/settings.js';
import { registerSignatures } from './commands/signatures.js';
import { registerTasks } from './commands/tasks.js';
import { registerToken } from './commands/token.js';
import { registerUp } from './commands/up.js';
import { registerVerify } from './commands/verify.js';
import type { RegisterCommand } from './program.js';

/** Every command, in the order in which help names them. */
export const commands: readonly RegisterCommand[] = [
  registerUp,
  registerMigrate,
  registerSettings,
  registerRequest,
  registerBuy,
  registerBuys,
  registerTasks,
  registerAccounts,
  registerApprovals,
  registerCreatives,
  registerSellers,
  registerEvents,
  registerLedger,
  registerToken,
  registerPrincipals,
  registerSigners,
  registerDelegations,
  registerRelay,
  registerCustody,
  registerCredentials,
  registerKeys,
  registerAlarms,
  registerSignatures,
  registerVerify,
];
