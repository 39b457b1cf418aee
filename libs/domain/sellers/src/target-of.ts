import type { Connection } from './connection.js';
import type { SellerTarget } from './transport.js';

/** Address and identity for calls over a connection. */
export function targetOf(
  connection: Connection,
  credential: SellerTarget['credential'] | undefined,
): SellerTarget {
  return {
    organizationId: connection.organizationId,
    connectionId: connection.id,
    agentUrl: connection.agentUrl,
    protocol: connection.protocol,
    dialect: connection.dialect,
    ...(connection.tools === undefined ? {} : { tools: connection.tools }),
    ...(credential === undefined ? {} : { credential }),
  };
}
