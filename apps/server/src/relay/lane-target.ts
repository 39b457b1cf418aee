import type { LegSecrets } from '@switchyard/buys';
import { targetOf, type Connection, type SellerTarget } from '@switchyard/sellers';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';

/** The seller's target for one principal: the session that a seller requires belongs to that principal alone. */
export function laneTarget(
  caller: Pick<PrincipalCaller, 'principalId'>,
  connection: Connection,
  { credential }: Pick<LegSecrets, 'credential'>,
): SellerTarget {
  return { ...targetOf(connection, credential), sessionOf: caller.principalId };
}
