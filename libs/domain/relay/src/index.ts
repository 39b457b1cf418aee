export type { Delegation, DelegationStanding } from './delegation.js';
export { judgeDelegation, type DelegatedAct } from './judge-delegation.js';
export { relayFaults, type RelayFaultCode } from './relay-fault.js';
export {
  sealedHeaderNames,
  splitSealedHeaders,
  type SealedHeaderName,
  type SealedHeaders,
} from './sealed-headers.js';
export { readSealedCall, type SealedCall } from './read-sealed-call.js';
export { committingTask, spendOfCreate, type CurrencyOf, type SealedSpend } from './sealed-spend.js';
export {
  custodyEntry,
  custodyStream,
  hashOfBytes,
  type CustodyOutcome,
  type CustodyRecord,
  type CustodyStep,
} from './custody-record.js';
export {
  custodyExport,
  custodyFormat,
  verifyCustody,
  verifyCustodyExport,
  type CustodyVerdict,
} from './custody-export.js';
export { resignedRecords, type ResignedLeg } from './resigned-record.js';
export type { KnownAdmission, PathRows } from './known-path.js';
export type { DelegationFilter, DelegationStore, Revocation } from './delegation-store.js';
export type {
  Admission,
  AdmittedRow,
  CustodyFilter,
  Ended,
  Hold,
  RelayedRow,
  RelayLog,
  SealedRecord,
  Counterpart as Twin,
} from './relay-log.js';
export {
  readSealedPost,
  type SealedPost,
  type SealedRefusal,
  type SealedRequest,
  type SealedTarget,
  type VerifySealed,
} from './read-sealed-post.js';
export { scanSealed } from './scan-sealed.js';
export {
  judgeOperator,
  namesOperators,
  type OperatorAct,
  type OperatorFault,
  type OperatorGranted,
} from './judge-operator.js';
