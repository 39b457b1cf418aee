export type { KeyAlarms } from './key-alarms.js';
export { forAddress, schemeOf } from './lease-secrets.js';
export type { PlatformKeys } from './platform-keys.js';
export { publicKeyOf } from './public-key.js';
export type { RefusalLog } from './record-refusals.js';
export { senderKeyView } from './sender-key-view.js';
export { noLongerRegistered, onlyKey } from './registered-key.js';
