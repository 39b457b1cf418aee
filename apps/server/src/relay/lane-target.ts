import type { LegSecrets } from '@switchyard/buys';
import type { Connection, SellerTarget } from '@switchyard/sellers';
import type { PrincipalCaller } from '../tasks/task-call.js';

/** A seller as one principal reaches it: a session that a seller insists on is that principal's and nobody else's. */
export function laneTarget(
  caller: Pick<PrincipalCaller, 'principalId'>,
  connection: Connection,
  { credential }: Pick<LegSecrets, 'credential'>,
): SellerTarget {
  return {
    organizationId: connection.organizationId,
    connectionId: connection.id,
    agentUrl: connection.agentUrl,
    protocol: connection.protocol,
    dialect: connection.dialect,
    sessionOf: caller.principalId,
    ...(credential === undefined ? {} : { credential }),
  };
}
