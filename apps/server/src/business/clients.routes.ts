import type { Client, ClientRepository } from '@switchyard/buys';
import { slugPattern } from '@switchyard/protocol';
import type { ConnectionDirectory } from '@switchyard/sellers';
import { lists } from '@switchyard/store';
import { reachOf, type Reach } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { plainText, recordUpTo } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn, type Immutable } from '../platform/routes/route.js';

interface ClientsDeps extends ListDeps {
  readonly clients: ClientRepository;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** The name of a client, a brand or a campaign. */
export const givenName = plainText(200).refine(
  (text) => text.trim() === text && text !== '',
  'must be a name without spaces at the start or end',
);

const status = z.enum(['active', 'archived']);
const codes = recordUpTo(100, z.string().min(1).max(100), z.string().min(1).max(200)).describe(
  'Its codes in other systems, at most 100: {system: code}.',
);
const allowedSellers = z.array(z.string().regex(slugPattern)).max(500);
const sellers = allowedSellers.nullable().describe('The sellers that are allowed for it; null: all.');

const {
  view,
  example,
  routes: listed,
} = resource(lists.clientList, {
  noun: 'client',
  plural: 'clients',
  area: 'clients',
  summary: 'Clients',
  example: {
    client_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    name: 'Nova Foods',
    status: 'active',
    codes: { finance: 'C-100' },
    sellers: null,
    created_at: '2026-11-23T12:00:00.000Z',
    updated_at: '2026-11-23T12:00:00.000Z',
  },
  views: { codes, sellers: allowedSellers },
  command: {
    title: 'advertisers that the organization works for',
    summary: 'list clients, by name',
    columns: {
      Client: 'client_id',
      Name: 'name',
      Status: 'status',
      Codes: 'codes',
      Sellers: { of: ['sellers'], none: 'all' },
    },
    none: 'There are no clients yet. Add one with: npx switchyard clients add NAME',
    whole: true,
  },
});
type ClientView = Immutable<z.output<typeof view>>;

/** A client that is shown alone. */
const shown = z.strictObject({
  ...view.shape,
  brands: z
    .array(z.strictObject({ brand_id: z.string(), domain: z.string(), name: z.string() }))
    .describe('Its brands by domain, the first hundred; all of them: `GET /v1/brands?client_id=`.'),
});
const shownBrands = 100;

const added = z.strictObject({
  name: givenName,
  codes: codes.exactOptional(),
  sellers: sellers.exactOptional(),
});
const changed = z.strictObject({
  name: givenName.exactOptional(),
  status: status.exactOptional(),
  codes: codes.exactOptional(),
  sellers: sellers.exactOptional(),
});

const route = routesOn<ClientsDeps>();

/** Advertisers that the organization works for. */
export const clientRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/clients',
    id: 'add_client',
    summary: 'Add a client',
    needs: 'clients.write',
    body: added,
    answer: view,
    status: 201,
    example,
    handle: async (deps, { caller, body }) => {
      if (writing(caller).kind === 'limited') return err(ofOrganization);
      const at = deps.clock.now();
      const { name, codes: own = {}, sellers: allowed } = body;
      const client = {
        id: deps.newId(),
        name,
        status: 'active' as const,
        codes: own,
        createdAt: at,
        updatedAt: at,
      };
      return save(deps, caller, { ...client, ...(allowed ? { sellers: allowed } : {}) });
    },
  }),
  route({
    method: 'get',
    path: '/v1/clients/{id}',
    id: 'show_client',
    summary: 'One client',
    needs: 'clients.read',
    answer: shown,
    example: {
      ...example,
      brands: [
        { brand_id: '5633c46c-5d33-4fbc-8780-652ce3d23b4b', domain: 'acme.example', name: 'Acme Coffee' },
      ],
    },
    handle: async (deps, { caller, params }) => {
      const reach = reading(caller);
      const client = await clientIn(deps, caller, reach, params.id);
      if (client === undefined) return err(noClient);
      const filter = { clientId: client.id, limit: shownBrands };
      const brands = await deps.clients.brands(scopeOf(caller), reach, filter);
      return ok({
        ...viewOf(client),
        brands: brands.map(({ id, domain, name }) => ({ brand_id: id, domain, name })),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/clients/{id}',
    id: 'change_client',
    summary: 'Change a client: members that are left out stay as they are',
    needs: 'clients.write',
    byPerson: true,
    body: changed,
    answer: view,
    handle: async (deps, { caller, params, body }) => {
      const client = await clientIn(deps, caller, ownedBy(writing(caller)), params.id);
      if (client === undefined) return err(noClient);
      const { sellers: before, ...rest } = client;
      const { sellers: allowed = before, ...members } = body;
      const next = { ...rest, ...members, updatedAt: deps.clock.now() };
      return save(deps, caller, { ...next, ...(allowed ? { sellers: allowed } : {}) });
    },
  }),
];

export const reading = (caller: PrincipalCaller): Reach => reachOf(caller, 'clients', 'read');
export const writing = (caller: PrincipalCaller): Reach => reachOf(caller, 'clients', 'write');

/** A reach on a brand or a campaign shows its client, and does not allow changing it. */
export function ownedBy(reach: Reach): Reach {
  if (reach.kind === 'everything') return reach;
  return { kind: 'limited', clientIds: reach.clientIds, brandDomains: [], campaignIds: [] };
}

/** A client within the caller's reach, by its id. */
export async function clientIn(
  { clients }: Pick<ClientsDeps, 'clients'>,
  caller: PrincipalCaller,
  reach: Reach,
  id: string,
): Promise<Client | undefined> {
  return isUuid(id) ? (await clients.clients(scopeOf(caller), reach, { id, limit: 1 }))[0] : undefined;
}

async function save(
  { clients, connections }: ClientsDeps,
  caller: PrincipalCaller,
  client: Client,
): Promise<Result<ClientView, AdminFailure>> {
  for (const slug of client.sellers ?? []) {
    if ((await connections.bySlug(scopeOf(caller), slug)) === undefined)
      return err({ code: 'NOT_FOUND', message: `There is no seller ${slug}.`, field: 'sellers' });
  }
  const stored = await clients.saveClient(scopeOf(caller), client);
  if (stored === 'stored') return ok(viewOf(client));
  return err({ code: 'CONFLICT', message: 'Another client has this name.', field: 'name' });
}

function viewOf(client: Client): ClientView {
  return {
    client_id: client.id,
    name: client.name,
    status: client.status,
    codes: client.codes as Record<string, string>,
    sellers: client.sellers ?? null,
    created_at: isoOf(client.createdAt),
    updated_at: isoOf(client.updatedAt),
  };
}

export const noClient: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no client with this id.',
  field: 'client_id',
};
const ofOrganization: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'This needs the permission clients.write in the scope organization.',
};
