export { isActive, type Delegation, type DelegationStanding, type DelegationStore } from './delegation.js';
export { judgeDelegation } from './judge-delegation.js';
export { relayFaults, type RelayFaultCode } from './relay-fault.js';
export type { SealedHeaders } from './sealed-headers.js';
export type { SealedCall } from './read-sealed-call.js';
export { committingTask, spendOfCreate, type CurrencyOf } from './sealed-spend.js';
export { custodyEntry, custodyStream, hashOfBytes, type CustodyRecord } from './custody-record.js';
export { custodyExport, custodyFormat, verifyCustody } from './custody-export.js';
export { resignedRecords, type ResignedLeg } from './resigned-record.js';
export type { KnownAdmission, PathRows } from './known-path.js';
export type { Admission, CustodyFilter, Ended, Hold, RelayedRow, RelayLog } from './relay-log.js';
export {
  readSealedPost,
  type SealedRefusal,
  type SealedRequest,
  type VerifySealed,
} from './read-sealed-post.js';
export { judgeOperator, namesOperators, type OperatorFault } from './judge-operator.js';
export { readRecordFacts, type RecordFacts } from './record-signature.js';
