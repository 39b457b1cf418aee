export {
  createServer,
  type RunningServer,
  type ServerFailure,
  type ServerOptions,
  type ServerPorts,
} from './server.js';
export type { BuyDetail } from './admin/buys.js';
export type { ImportedSeller } from './admin/sellers.js';
export type { AdminFailure, SellerDraft } from './application/admin.js';
export type { MetricsPage, ReadyCheck } from './application/health.js';
export type { IdentityAdmin, KeyView, SignerDraft, SignerView } from './application/identity.js';
export type {
  IdentityView,
  NewCredential,
  PrincipalAdmin,
  PrincipalDraft,
  PrincipalView,
  TokenView,
} from './application/principals.js';
export type { AdminDeps, RunRoute } from './admin/routes.js';
export type { CheckedRequest, RouteAnswer } from './admin/route.js';
export type { RequestSignatures, RequestSignerFound } from './application/request-signatures.js';
export type {
  Caller,
  PrincipalCaller,
  SellerRow,
  TaskCall,
  TaskReply,
  TaskService,
} from './application/task-call.js';
export type { WebhookAnswer, WebhookIntake, WebhookPost } from './application/webhook-intake.js';
export { migrate } from './platform/migrate.js';
export type { Profile } from './platform/door-settings.js';
export {
  readConfiguration,
  settingsTable,
  type Configuration,
  type Environment,
  type SettingName,
  type Settings,
} from './platform/settings.js';
export type { Setting } from './platform/setting-kinds.js';
export {
  openSwitchyard,
  type StartFailure,
  type Switchyard,
  type SwitchyardOptions,
} from './platform/open-switchyard.js';
