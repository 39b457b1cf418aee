export { createServer, type ServerPorts } from './server.js';
export type { BuyDetail } from './admin/buys/buys.js';
export type { ImportedSeller } from './admin/sellers/sellers.js';
export type { RunRoute } from './admin/routes.js';
export type { CheckedRequest, RouteAnswer } from './admin/route.js';
export type { Caller, PrincipalCaller, TaskCall, TaskReply } from './tasks/task-call.js';
export { archiveLedger, verifyArchives } from './composition/archive-ledger.js';
export { migrate } from './composition/migrate.js';
export {
  readConfiguration,
  settingsTable,
  type Configuration,
  type Settings,
} from './composition/settings.js';
export { openSwitchyard, type Switchyard } from './composition/open-switchyard.js';
