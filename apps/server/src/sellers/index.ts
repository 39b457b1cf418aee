export type { EchoAlarms } from './echo-alarms.js';
export { capabilitiesVersion, subscribersEveryMs } from './get-capabilities.js';
export { actOnCases, type CaseWork } from './governance/act-on-cases.js';
export { caseIdOf } from './governance/case-id.js';
export { openContentCase } from './governance/open-content-case.js';
export { ownerAt } from './governance/read-from-owner.js';
export { askIfStopped } from './governance/stopped-creatives.js';
export { verifyPublishers } from './verify-publishers.js';
