export type { LedgerAnchors } from './anchor-ledger.js';
export { refuseArchivedPeriod, type ArchiveDeps } from './archived.js';
export { noRate } from './no-rate.js';
