import { randomUUID } from 'node:crypto';
import { targetOf, type Connection } from '@switchyard/sellers';
import type { AccountRecord, TenantScope } from '@switchyard/tenancy';
import { brandDomainOf, storedDomain, type JsonObject } from '@switchyard/values';
import { testControllerTool, type TestController } from '../platform/tasks/call/test-controller.js';
import { objectAt, refusedAs, textAt } from './answers.js';
import { ForcedTasks } from './forced-tasks.js';
import { GivenNames } from './given-names.js';
import type { TestControl, TestControllerDeps } from './test-control.js';
import { scenarios } from './scenarios.js';
import { SeededProducts } from './seeded-products.js';

const timeoutMs = 10_000;

/**
 * Uses the sandbox seller's tool like any task: through the vault, the transports and egress. Seeded names are in the
 * memory of this process: they only let a runner use its own ids.
 */
export function createTestController(deps: TestControllerDeps): TestController {
  const products = new SeededProducts();
  const forced = new ForcedTasks();
  const names = new GivenNames();
  return {
    perform: async (caller, args, tasks, signal) => {
      const scope = { organizationId: caller.organizationId };
      const connection = (await deps.connections.list(scope)).find(hasTestController);
      if (connection === undefined) return refusedAs('FORBIDDEN', 'No seller of the sandbox market is live.');
      const name = args['scenario'];
      const target = objectAt(names.meant(caller, { account: objectAt(args, 'account') }), 'account');
      if (isLive(target, await deps.accounts.accounts(scope, caller.principalId)))
        return refusedAs('FORBIDDEN', 'The account is live. Only sandbox accounts are put into states.');
      const callTool: TestControl['callTool'] = (scenario, params) =>
        querySandbox(deps, { scope, connection, args: { ...args, scenario, params } }, signal);
      if (name === 'list_scenarios') return listed(await callTool(name, {}));
      const row = typeof name === 'string' && Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
      if (row === undefined)
        return refusedAs('UNKNOWN_SCENARIO', `${testControllerTool} knows no such scenario here.`);
      const params = objectAt(args, 'params');
      const account = objectAt(args, 'account');
      const call: TestControl['call'] = (task, taskArgs) =>
        tasks.call({
          endpoint: 'mcp',
          task,
          args: taskArgs,
          exact: new Map<string, string>(),
          caller,
          signal,
        });
      return row.run({
        deps,
        scope,
        caller,
        connection,
        params,
        account,
        products,
        forced,
        names,
        callTool,
        call,
      });
    },
    isReady: (live) => live.some(hasTestController),
    withLocalNames: (caller, args) =>
      forced.meant(caller, products.prefixed(caller.organizationId, names.meant(caller, args))),
    withTestNames: (caller, task, reply) =>
      products.inFront(
        caller.organizationId,
        task,
        names.answered(caller, forced.answered(caller, task, reply)),
      ),
  };
}

/**
 * True if a call is about an account that is no sandbox account, by the call's own words or by the record. A pair of
 * brand and operator with `sandbox: true` is another key than the pair without it.
 */
function isLive(target: JsonObject, known: readonly AccountRecord[]): boolean {
  const { sandbox } = target;
  if (sandbox === false) return true;
  const id = textAt(target, 'account_id');
  if (id === undefined && sandbox === true) return false;
  const brand = objectAt(target, 'brand');
  const isMeant = (account: AccountRecord): boolean =>
    id === undefined
      ? account.brandDomain === brandDomainOf(textAt(brand, 'domain') ?? '') &&
        account.brandId === (textAt(brand, 'brand_id') ?? '') &&
        account.operator === storedDomain(textAt(target, 'operator') ?? '')
      : account.id === id;
  return known.some((account) => isMeant(account) && !account.isSandbox);
}

/** True for a live connection to a seller of the sandbox market that offers the tool. */
function hasTestController({ isSandbox, state, tools }: Connection): boolean {
  return isSandbox && state === 'live' && tools !== undefined && Object.hasOwn(tools, testControllerTool);
}

/** Calls the sandbox seller's own tool. A failed call is an answer of that tool as well. */
async function querySandbox(
  ports: Pick<TestControllerDeps, 'transport' | 'lease' | 'clock'>,
  {
    scope,
    connection,
    args,
  }: { readonly scope: TenantScope; readonly connection: Connection; readonly args: JsonObject },
  signal: AbortSignal,
): Promise<JsonObject> {
  const secrets = await ports.lease(scope, [connection], {
    operationId: randomUUID(),
    purpose: testControllerTool,
  });
  if (!secrets.ok) return refusedAs('INTERNAL_ERROR', secrets.error.message);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const cancel = ports.clock.after(timeoutMs, end);
  const target = targetOf(connection, secrets.value.get(connection.id)?.credential);
  const reported = await ports.transport
    .call(target, { tool: testControllerTool, args }, stop.signal)
    .finally(() => {
      cancel();
      signal.removeEventListener('abort', end);
    });
  return reported.ok
    ? reported.value.payload
    : refusedAs('INTERNAL_ERROR', 'The sandbox seller did not answer.');
}

/** Scenarios that both we and the sandbox seller support. */
function listed(
  reported: Awaited<ReturnType<TestControl['callTool']>>,
): Awaited<ReturnType<TestControl['callTool']>> {
  const supported = reported['scenarios'];
  if (reported['success'] !== true || !Array.isArray(supported)) return reported;
  const able = Object.entries(scenarios).filter(([, { needs }]) =>
    needs.every((need) => supported.includes(need)),
  );
  return { success: true, scenarios: able.map(([name]) => name) };
}
