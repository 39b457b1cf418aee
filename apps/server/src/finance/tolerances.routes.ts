import type { ClientRepository } from '@switchyard/buys';
import { percentText, type Tolerance } from '@switchyard/ledger';
import { microsToDecimal, parseDecimal } from '@switchyard/money';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { lists, type ToleranceRepository } from '@switchyard/store';
import { isInReach, reachOf } from '@switchyard/tenancy';
import { err, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { nameOrId } from '../platform/routes/fields.js';
import { uuidText } from '../platform/routes/list-filters.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn } from '../platform/routes/route.js';

interface TolerancesDeps extends ListDeps {
  readonly tolerances: ToleranceRepository;
  readonly connections: Pick<ConnectionDirectory, 'list'>;
  readonly clients: Pick<ClientRepository, 'clients'>;
  readonly clock: Clock;
}

const declared = resource(lists.toleranceList, {
  noun: 'tolerance',
  plural: 'tolerances',
  area: 'ledger',
  summary: 'Tolerances of reconciliations',
  example: {
    tolerance_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    seller: 'acme',
    absolute: '0.5',
    percent: '1.25',
    set_by: 'ada',
    set_at: '2026-11-21T12:00:00.000Z',
  },
  command: {
    title: 'tolerances: how much an invoice may differ from the delivery',
    summary: 'list tolerances, newest first (default where none is set: 0.01)',
    columns: {
      Tolerance: 'tolerance_id',
      Seller: { of: ['seller'], none: 'every seller' },
      Client: { of: ['client', 'client_id'], none: 'every client' },
      Absolute: 'absolute',
      Percent: 'percent',
    },
    none: 'No tolerance is set: differences up to 0.01 are tolerated.',
  },
});

const draft = z.strictObject({
  seller: nameOrId.exactOptional(),
  client_id: uuidText.exactOptional(),
  absolute: z.string().max(40),
  percent: z.string().max(10).describe('0 to 100, two decimals at most.'),
});

const route = routesOn<TolerancesDeps>();

/** The accepted difference between invoice and delivery; a larger one is a break. */
export const toleranceRoutes = [
  ...declared.routes,
  route({
    method: 'post',
    path: '/v1/tolerances',
    id: 'set_tolerance',
    summary: 'Set the tolerance of a seller, a client, both, or all; the most specific one holds',
    needs: 'ledger.write',
    byPerson: true,
    body: draft,
    answer: z.strictObject({ tolerance_id: z.string(), absolute: z.string(), percent: z.string() }),
    example: { tolerance_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11', absolute: '0.5', percent: '1.25' },
    handle: (deps, { caller, body }) => setTolerance(deps, caller, body),
  }),
  route({
    method: 'delete',
    path: '/v1/tolerances/{id}',
    id: 'remove_tolerance',
    summary: 'Remove a tolerance, with effect from the next run',
    needs: 'ledger.write',
    byPerson: true,
    answer: z.strictObject({ removed: z.literal(true) }),
    handle: async ({ tolerances }, { caller, params: { id } }) => {
      const reach = reachOf(caller, 'ledger', 'write');
      const found = (await tolerances.all(caller)).find((item) => item.id === id);
      if (found === undefined || !isInReach(reach, clientOf(found.clientId)))
        return err({ code: 'NOT_FOUND', message: 'No tolerance has this id.', field: 'id' });
      await tolerances.remove(caller, id);
      return ok({ removed: true as const });
    },
  }),
];

const clientOf = (clientId: string | undefined) => (clientId === undefined ? {} : { clientId });

async function setTolerance(
  { tolerances, connections, clients, clock }: TolerancesDeps,
  caller: PrincipalCaller,
  { seller, client_id: clientId, absolute, percent }: z.output<typeof draft>,
): Promise<Result<{ tolerance_id: string; absolute: string; percent: string }, AdminFailure>> {
  if (!isInReach(reachOf(caller, 'ledger', 'write'), clientOf(clientId)))
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message:
        'This needs ledger.write in the scope organization, or in the scope of the client that is named.',
    });
  const read = readTolerance({ absolute, percent });
  if (!read.ok) return read;
  const connection =
    seller === undefined
      ? undefined
      : (await connections.list(caller)).find(({ slug, id }) => slug === seller || id === seller);
  if (seller !== undefined && connection === undefined)
    return err({ code: 'NOT_FOUND', message: 'There is no seller with this name.', field: 'seller' });
  const found =
    clientId === undefined
      ? []
      : await clients.clients(caller, reachOf(caller, 'ledger', 'write'), { id: clientId, limit: 1 });
  if (clientId !== undefined && found.length === 0)
    return err({ code: 'NOT_FOUND', message: 'No client has this id.', field: 'client_id' });
  const wanted = { ...read.value, ...clientOf(clientId), ...(connection && { seller: connection.slug }) };
  const id = await tolerances.set(caller, wanted, caller.principalId, clock.now());
  return ok({
    tolerance_id: id,
    absolute: microsToDecimal(read.value.absoluteMicros),
    percent: percentText(read.value.percentHundredths),
  });
}

/** Reads decimal text of both parts. The failure names the part that is wrong. */
export function readTolerance({
  absolute,
  percent,
}: {
  readonly absolute: string;
  readonly percent: string;
}): Result<Omit<Tolerance, 'rule'>, AdminFailure> {
  const amount = parseDecimal(absolute);
  if (!amount.ok || amount.value < 0n)
    return err({
      code: 'INVALID_REQUEST',
      message: 'A tolerance must be a decimal number, 0 or more.',
      field: 'absolute',
    });
  const part = parseDecimal(percent);
  if (!part.ok || part.value < 0n || part.value > 100_000_000n || part.value % 10_000n !== 0n)
    return err({
      code: 'INVALID_REQUEST',
      message: 'A tolerance in percent must be from 0 to 100 with two decimals at most.',
      field: 'percent',
    });
  return ok({ absoluteMicros: amount.value, percentHundredths: Number(part.value / 10_000n) });
}
