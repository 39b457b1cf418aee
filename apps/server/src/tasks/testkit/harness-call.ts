import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { permissionTable } from '@switchyard/tenancy';
import type { BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { TaskCall } from '../task-call.js';

/** Returns a call over MCP by the harness's buyer, who has all permissions. */
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

/** Returns the harness's ports, and what isolates its sellers when a whole market is queried. */
export const marketPorts = ({ ports }: BuyingHarness) => ({
  ...ports,
  breakers: new BreakerBoard(defaultBreakerPolicy),
  bulkhead: new Bulkhead(8),
});
