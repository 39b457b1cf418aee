export {
  allowedKmsKeys,
  keyringPathIn,
  openKeyManagement,
  type KeyManagementEnvironment,
  type OpenedKeyManagement,
} from './open-key-management.js';
export type { KeyManagementFailure } from './key-management-failure.js';
export type { AwsKms } from './aws-kms.js';
export { AwsSigner } from './aws-signer.js';
export { LocalKeyring } from './local-keyring.js';
