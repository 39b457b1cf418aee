export { createServer } from './main/server.js';
export type { ServerPorts } from './main/server-ports.js';
export { CapabilitiesModule } from './main/capabilities.module.js';
export type { BuyDetail } from './buys/buy-views.js';
export type { ImportedSeller } from './sellers/import-sellers.js';
export type { RunRoute } from './platform/routes/route.js';
export {
  StartedJob,
  WrittenAnswer,
  WaitsForApproval,
  type CheckedRequest,
  type RouteAnswer,
} from './platform/routes/route.js';
export type { Caller, PrincipalCaller, TaskCall, TaskReply } from './platform/tasks/call/task-call.js';
export { archiveLedger, verifyArchives } from './main/commands/archive-ledger.js';
export { fetchFiles, isPlace, sendFiles } from './main/commands/file-places.js';
export { addReader, exportReports, listReaders, removeReader } from './main/commands/reports.js';
export { migrate } from './main/commands/migrate.js';
export { settingsTable, type Settings } from './main/settings/settings.js';
export { readConfiguration, type Configuration } from './main/settings/read-configuration.js';
export { openSwitchyard, type Switchyard } from './main/open-switchyard.js';
export { examine, type Examined } from './main/doctor/examine.js';
export { backup } from './main/backup/backup.js';
export { drill } from './main/backup/drill.js';
export { restore } from './main/backup/restore.js';
export { addKeyringKey, listKeyring, newKeyring, removeKeyringKey } from './main/commands/keyring.js';
export { resume } from './main/backup/paused.js';
