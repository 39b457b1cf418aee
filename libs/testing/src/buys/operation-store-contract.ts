import { beginClauses } from './operation-store/begin-clauses.js';
import { changeClauses } from './operation-store/change-clauses.js';
import { legClauses } from './operation-store/leg-clauses.js';
import type { OperationStoreClause } from './operation-store/operation-store-clause.js';
import { readClauses } from './operation-store/read-clauses.js';

/** The contract of every operation store, run by the PostgreSQL one and the in-memory one. */
export const operationStoreContract: readonly OperationStoreClause[] = [
  ...beginClauses,
  ...legClauses,
  ...changeClauses,
  ...readClauses,
];
