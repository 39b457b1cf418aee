export {
  openKeyManagement,
  type KeyManagementEnvironment,
  type KeyManagementFailure,
  type OpenedKeyManagement,
} from './open-key-management.js';
