export type { Connection, ConnectionState, SellerKind } from './connection.js';
export type {
  SellerAnswer,
  SellerCall,
  SellerTarget,
  SellerTransport,
  TransportFailure,
  TransportFailureCode,
} from './transport.js';
export {
  egressCaps,
  type Egress,
  type EgressAnswer,
  type EgressFailure,
  type EgressFailureCode,
  type EgressPolicy,
  type EgressRequest,
} from './egress-port.js';
