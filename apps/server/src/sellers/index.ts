export type { EchoAlarms } from './echo-alarms.js';
export { verifyPublishers } from './verify-publishers.js';
