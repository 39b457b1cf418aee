export {
  allowedKmsKeys,
  keyringFileOf,
  openKeyManagement,
  type KeyManagementEnvironment,
} from './open-key-management.js';
export type { ProviderKind } from './key-provider.js';
export {
  addKeyToFile,
  openKeyringFile,
  readKeyringFile,
  removeKeyFromFile,
  type Keyring,
} from './keyring-file.js';
export { AwsSigner } from './aws-signer.js';
