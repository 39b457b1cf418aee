export type { EchoAlarms } from './echo-alarms.js';
export { capabilitiesVersion, subscribersEveryMs } from './get-capabilities.js';
export { verifyPublishers } from './verify-publishers.js';
