import type { OperationStore } from '@switchyard/buys';
import type { TenantScope } from '@switchyard/tenancy';

export interface OperationStoreSubject {
  readonly store: OperationStore;
  /** Two organizations that exist. */
  readonly ours: TenantScope;
  readonly theirs: TenantScope;
}

export interface OperationStoreClause {
  readonly guarantee: string;
  /** Throws if the guarantee does not hold. It makes its own rows, so clauses may share a database. */
  readonly check: (subject: OperationStoreSubject) => Promise<void>;
}
