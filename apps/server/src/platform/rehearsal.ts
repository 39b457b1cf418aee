import { randomUUID } from 'node:crypto';
import { targetOf, type ReadPorts } from '@switchyard/buys';
import { prefixId } from '@switchyard/protocol';
import type { Connection } from '@switchyard/sellers';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { rehearsalTool, type Rehearsal } from '../application/rehearsal.js';
import type { PrincipalCaller } from '../application/task-call.js';
import { ForcedTasks } from './forced-tasks.js';

const lookMs = 10_000;

/**
 * Reaches the practice seller that rehearses, as any task would: over the vault, the transports and egress. What was
 * seeded is remembered per organization for as long as this process lives: it only spares a runner our prefix.
 */
export function createRehearsal(
  ports: Pick<ReadPorts, 'connections' | 'transport' | 'lease' | 'store' | 'clock'>,
): Rehearsal {
  const seeded = new Map<string, Map<string, string>>();
  const forced = new ForcedTasks();
  return {
    perform: async (caller, args, signal) => {
      const scope = { organizationId: caller.organizationId };
      const connection = (await ports.connections.list(scope)).find(rehearses);
      if (connection === undefined) return refused('FORBIDDEN', 'No seller of the practice market is live.');
      const translated = await withSellersBuy(ports, caller, connection, args);
      if (translated === undefined)
        return refused('NOT_FOUND', 'No media buy of yours with this id has a part at the practice seller.');
      if (
        args['scenario'] === 'force_task_completion' &&
        !forced.isOf(caller, objectAt(args, 'params')['task_id'])
      )
        return refused('NOT_FOUND', 'No task of yours was given this name.');
      const said = await ask(ports, scope, connection, translated, signal);
      const productId = objectAt(args, 'params')['product_id'];
      if (said['success'] === true && typeof productId === 'string') {
        const known = seeded.get(caller.organizationId) ?? new Map<string, string>();
        seeded.set(caller.organizationId, known.set(productId, prefixId(connection.slug, productId)));
      }
      if (said['success'] === true) forced.note(caller, args);
      return said;
    },
    isReady: (live) => live.some(rehearses),
    named: (caller, args) => {
      const known = seeded.get(caller.organizationId);
      return forced.meant(caller, known === undefined ? args : withPrefixes(args, known));
    },
    answered: (caller, task, reply) => forced.answered(caller, task, reply),
  };
}

function rehearses(connection: Connection): boolean {
  const { isSandbox, state, tools } = connection;
  return isSandbox && state === 'live' && tools !== undefined && Object.hasOwn(tools, rehearsalTool);
}

async function ask(
  ports: Pick<ReadPorts, 'transport' | 'lease' | 'clock'>,
  scope: { readonly organizationId: string },
  connection: Connection,
  args: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const secrets = await ports.lease(scope, [connection], {
    operationId: randomUUID(),
    purpose: rehearsalTool,
  });
  if (!secrets.ok) return refused('INTERNAL_ERROR', secrets.error.message);
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal.addEventListener('abort', end, { once: true });
  const cancel = ports.clock.after(lookMs, end);
  const target = targetOf(connection, secrets.value.get(connection.id)?.credential);
  const said = await ports.transport.call(target, { tool: rehearsalTool, args }, stop.signal).finally(() => {
    cancel();
    signal.removeEventListener('abort', end);
  });
  return said.ok ? said.value.payload : refused('INTERNAL_ERROR', 'The practice seller did not answer.');
}

/** The buyer knows our media buy, the seller its own part of it. Nothing where the caller has no such buy there. */
async function withSellersBuy(
  ports: Pick<ReadPorts, 'store'>,
  caller: PrincipalCaller,
  connection: Connection,
  args: JsonObject,
): Promise<JsonObject | undefined> {
  const params = objectAt(args, 'params');
  const id = params['media_buy_id'];
  if (typeof id !== 'string' || args['scenario'] === 'seed_media_buy') return args;
  const scope = { organizationId: caller.organizationId };
  const [found] = await ports.store.mediaBuys(scope, {
    principalId: caller.principalId,
    ids: [id],
    limit: 1,
  });
  const part = found?.sellerBuys.find((one) => one.connectionId === connection.id);
  if (part?.sellerMediaBuyId === undefined) return undefined;
  return { ...args, params: { ...params, media_buy_id: part.sellerMediaBuyId } };
}

/** `context` and `ext` are the buyer's own words: nothing in them is an id of ours. */
function withPrefixes(args: JsonObject, known: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => [
      name,
      name === 'context' || name === 'ext' ? value : prefixed(name, value, known),
    ]),
  );
}

function prefixed(name: string, value: JsonValue, known: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string')
    return name === 'product_id' || name === 'product_ids' ? (known.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => prefixed(name, item, known));
  return isJsonObject(value) ? withPrefixes(value, known) : value;
}

function objectAt(args: JsonObject, name: string): JsonObject {
  const value = args[name];
  return isJsonObject(value) ? value : {};
}

function refused(error: string, detail: string): JsonObject {
  return { success: false, error, error_detail: detail };
}
