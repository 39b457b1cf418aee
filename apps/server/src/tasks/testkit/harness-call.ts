import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { permissionTable } from '@switchyard/tenancy';
import type { BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { TaskCall } from '../task-call.js';

/** A call over MCP by the buyer of a desk, who may do everything. */
export function harnessCall({ scope, principalId }: BuyingHarness, task: string, args: JsonObject): TaskCall {
  return {
    door: 'mcp',
    task,
    args,
    exact: new Map(),
    caller: {
      kind: 'principal',
      organizationId: scope.organizationId,
      principalId,
      name: 'buyer',
      principalKind: 'buyer',
      permissions: permissionTable,
      transitional: true,
      legacy: true,
    },
    signal: new AbortController().signal,
  };
}

/** The ports of a desk, and what keeps its sellers apart when a whole market is asked. */
export const marketPorts = ({ ports }: BuyingHarness) => ({
  ...ports,
  breakers: new BreakerBoard(defaultBreakerPolicy),
  bulkhead: new Bulkhead(8),
});
