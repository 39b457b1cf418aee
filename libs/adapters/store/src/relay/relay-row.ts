import type { CustodyOutcome, RelayedRow } from '@switchyard/relay';
import { present } from '../core/present.js';

export interface RelayRow {
  readonly id: string;
  readonly principal_id: string;
  readonly seller: string;
  readonly way: string;
  readonly task: string | null;
  readonly delegation_id: string | null;
  readonly operation_id: string | null;
  readonly body_hash: string;
  readonly state: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly arrived_at: Date;
  readonly ended_at: Date | null;
}

export function rowOf(row: RelayRow): RelayedRow {
  return {
    id: row.id,
    principalId: row.principal_id,
    seller: row.seller,
    way: row.way === 'resigned' ? 'resigned' : 'sealed',
    bodyHash: row.body_hash,
    arrivedAt: row.arrived_at.getTime(),
    inChain: row.state === 'sealed',
    ...present({
      task: row.task,
      delegationId: row.delegation_id,
      operationId: row.operation_id,
      outcome: row.outcome as CustodyOutcome | null,
      code: row.code,
      endedAt: row.ended_at?.getTime(),
    }),
  };
}
