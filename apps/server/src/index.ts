export { createServer, type ServerPorts } from './main/server.js';
export type { BuyDetail } from './buys/buys.routes.js';
export type { ImportedSeller } from './sellers/sellers.routes.js';
export type { RunRoute } from './main/routes.js';
export type { CheckedRequest, RouteAnswer } from './platform/routes/route.js';
export type { Caller, PrincipalCaller, TaskCall, TaskReply } from './platform/tasks/call/task-call.js';
export { archiveLedger, verifyArchives } from './main/commands/archive-ledger.js';
export { migrate } from './main/commands/migrate.js';
export {
  readConfiguration,
  settingsTable,
  type Configuration,
  type Settings,
} from './main/settings/settings.js';
export { openSwitchyard, type Switchyard } from './main/open-switchyard.js';
