import { rehearsalTool, type Rehearsal } from '../tasks/ports/rehearsal.js';
import { objectAt, refusedAs } from './answers.js';
import { ForcedTasks } from './forced-tasks.js';
import { GivenNames } from './given-names.js';
import { askPractice, rehearses } from './practice-seller.js';
import type { Rehearsing, RehearsalParts } from './rehearsing.js';
import { scenarios } from './scenarios.js';
import { SeededProducts } from './seeded-products.js';

/**
 * Reaches the practice seller that rehearses, as any task would: over the vault, the transports and egress. What was
 * seeded is remembered for as long as this process lives: it only spares a runner our own ids.
 */
export function createRehearsal(parts: RehearsalParts): Rehearsal {
  const products = new SeededProducts();
  const forced = new ForcedTasks();
  const names = new GivenNames();
  return {
    perform: async (caller, args, tasks, signal) => {
      const scope = { organizationId: caller.organizationId };
      const connection = (await parts.connections.list(scope)).find(rehearses);
      if (connection === undefined) return refusedAs('FORBIDDEN', 'No seller of the sandbox market is live.');
      const name = args['scenario'];
      const ask: Rehearsing['ask'] = (scenario, params) =>
        askPractice(parts, scope, connection, { ...args, scenario, params }, signal);
      if (name === 'list_scenarios') return listed(await ask(name, {}));
      const row = typeof name === 'string' && Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
      if (row === undefined)
        return refusedAs('UNKNOWN_SCENARIO', `${rehearsalTool} knows no such scenario here.`);
      const params = objectAt(args, 'params');
      const account = objectAt(args, 'account');
      const call: Rehearsing['call'] = (task, taskArgs) =>
        tasks.call({ door: 'mcp', task, args: taskArgs, exact: new Map<string, string>(), caller, signal });
      return row.run({
        parts,
        scope,
        caller,
        connection,
        params,
        account,
        products,
        forced,
        names,
        ask,
        call,
      });
    },
    isReady: (live) => live.some(rehearses),
    named: (caller, args) =>
      forced.meant(caller, products.prefixed(caller.organizationId, names.meant(caller, args))),
    answered: (caller, task, reply) =>
      products.inFront(
        caller.organizationId,
        task,
        names.answered(caller, forced.answered(caller, task, reply)),
      ),
  };
}

/** What we can do for which the practice seller can do its part. */
function listed(said: Awaited<ReturnType<Rehearsing['ask']>>): Awaited<ReturnType<Rehearsing['ask']>> {
  const theirs = said['scenarios'];
  if (said['success'] !== true || !Array.isArray(theirs)) return said;
  const able = Object.entries(scenarios).filter(([, { needs }]) =>
    needs.every((one) => theirs.includes(one)),
  );
  return { success: true, scenarios: able.map(([name]) => name) };
}
