export { allowedKmsKeys, openKeyManagement } from './open-key-management.js';
export { AwsSigner } from './aws-signer.js';
