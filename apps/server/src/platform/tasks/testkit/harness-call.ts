import { BreakerBoard, Bulkhead, defaultBreakerPolicy } from '@switchyard/sellers';
import { permissionTable, type DeclaredAccount } from '@switchyard/tenancy';
import type { BuyingHarness } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { HandlerDeps } from '../call/handler.js';
import type { PrincipalCaller, TaskCall } from '../call/task-call.js';

/** Returns the harness's buyer, who has all permissions. */
export const harnessCaller = (
  { scope, principalId }: BuyingHarness,
  overrides: Partial<PrincipalCaller> = {},
): PrincipalCaller => ({
  kind: 'principal',
  organizationId: scope.organizationId,
  principalId,
  name: 'buyer',
  principalKind: 'buyer',
  permissions: permissionTable,
  transitional: true,
  legacy: true,
  ...overrides,
});

/** Returns a call over MCP by the harness's buyer. */
export function harnessCall(
  harness: BuyingHarness,
  task: string,
  args: JsonObject,
  caller: Partial<PrincipalCaller> = {},
): TaskCall {
  return {
    endpoint: 'mcp',
    task,
    args,
    exact: new Map(),
    caller: harnessCaller(harness, caller),
    signal: new AbortController().signal,
  };
}

/** Returns the harness's ports, and what isolates its sellers when a whole market is queried. */
export const marketPorts = ({ ports }: BuyingHarness) => ({
  ...ports,
  breakers: new BreakerBoard(defaultBreakerPolicy),
  bulkhead: new Bulkhead(8),
});

/** What the handlers need, with empty repositories. A declared account is added to `accounts`. */
export const harnessDeps = (
  harness: BuyingHarness,
  accounts: DeclaredAccount[] = [],
  overrides: object = {},
): HandlerDeps =>
  ({
    ports: marketPorts(harness),
    principals: {
      accountsOf: () => Promise.resolve(accounts),
      declareAccount: (_scope: unknown, _principal: unknown, account: DeclaredAccount) => {
        accounts.push(account);
        return Promise.resolve(account);
      },
    },
    domainOf: () => Promise.resolve('agency.example'),
    declareOnFirstUse: true,
    refuseCallback: () => Promise.resolve(undefined),
    sealCallback: () => Promise.resolve(harness.ports.ids.uuid()),
    taskLog: { find: () => Promise.resolve({ items: [] }) },
    creatives: {},
    outbox: { activity: () => Promise.resolve([]) },
    ...overrides,
  }) as unknown as HandlerDeps;
