export type { KeyAlarms } from './key-alarms.js';
export { requestNoncesPerKey, type Keys } from './keys.module.js';
export { forAddress, leaseSecretsFrom, schemeOf, type RenewDead } from './lease-secrets.js';
export type { PlatformKeys } from './platform-keys.js';
export { publicKeyOf } from './public-key.js';
export type { RefusalLog } from './record-refusals.js';
export { senderKeyView } from './sender-key-view.js';
export { noLongerRegistered, onlyKey } from './registered-key.js';
