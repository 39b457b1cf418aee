export type { EchoAlarms } from './echo-alarms.js';
export { capabilitiesVersion, subscribersEveryMs } from './get-capabilities.js';
export { askIfStopped } from './governance/stopped-creatives.js';
export { verifyPublishers } from './verify-publishers.js';
