export {
  createServer,
  type RunningServer,
  type ServerFailure,
  type ServerOptions,
  type ServerPorts,
} from './server.js';
export type { BuyDetail } from './admin/buys/buys.js';
export type { ImportedSeller } from './admin/sellers/sellers.js';
export type { AdminFailure, SellerDraft } from './tasks/ports/admin.js';
export type { MetricsPage, ReadyCheck } from './tasks/ports/health.js';
export type { AdminDeps, RunRoute } from './admin/routes.js';
export type { CheckedRequest, RouteAnswer } from './admin/route.js';
export type { RequestSignatures, RequestSignerFound } from './tasks/caller/request-signatures.js';
export type {
  Caller,
  PrincipalCaller,
  SellerRow,
  TaskCall,
  TaskReply,
  TaskService,
} from './tasks/task-call.js';
export type { WebhookAnswer, WebhookIntake, WebhookPost } from './tasks/ports/webhook-intake.js';
export { migrate } from './composition/migrate.js';
export type { Profile } from './composition/door-settings.js';
export {
  readConfiguration,
  settingsTable,
  type Configuration,
  type Environment,
  type SettingName,
  type Settings,
} from './composition/settings.js';
export type { Setting } from './composition/setting-kinds.js';
export {
  openSwitchyard,
  type StartFailure,
  type Switchyard,
  type SwitchyardOptions,
} from './composition/open-switchyard.js';
