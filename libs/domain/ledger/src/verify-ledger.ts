import type { StreamHead } from '@switchyard/journal';

export type LedgerProblemCode = string;
export interface LedgerProblem {
  readonly code: LedgerProblemCode;
  readonly message: string;
  readonly at?: string;
}
export interface LedgerVerification {
  readonly ok: boolean;
  readonly entries: bigint;
  readonly head: StreamHead;
  readonly problems: readonly LedgerProblem[];
}
