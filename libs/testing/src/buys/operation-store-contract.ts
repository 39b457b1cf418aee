import { beginClauses } from './operation-store/begin-clauses.js';
import { changeClauses } from './operation-store/change-clauses.js';
import { legClauses } from './operation-store/leg-clauses.js';
import type { OperationStoreClause } from './operation-store/operation-store-clause.js';
import { readClauses } from './operation-store/read-clauses.js';

/** What every store of operations must do: the real one runs it on PostgreSQL, the twin in memory. */
export const operationStoreContract: readonly OperationStoreClause[] = [
  ...beginClauses,
  ...legClauses,
  ...changeClauses,
  ...readClauses,
];
