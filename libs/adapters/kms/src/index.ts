export { allowedKmsKeys, openKeyManagement, type KeyManagementEnvironment } from './open-key-management.js';
export { AwsSigner } from './aws-signer.js';
