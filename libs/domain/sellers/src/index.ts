export type { Connection, ConnectionState, SellerKind } from './connection.js';
export type {
  SellerAnswer,
  SellerCall,
  SellerTarget,
  SellerTransport,
  TransportFailure,
  TransportFailureCode,
} from './transport.js';
