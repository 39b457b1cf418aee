import type { ClientBrand, ClientRepository } from '@switchyard/buys';
import { lists } from '@switchyard/store';
import { isInReach } from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { clientIn, givenName, noClient, ownedBy, writing } from './clients.routes.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { brandName } from '../platform/routes/fields.js';
import { resource, type ListDeps } from '../platform/routes/resource.js';
import { routesOn, type Immutable, type WaitsForApproval } from '../platform/routes/route.js';

interface BrandsDeps extends ControlDeps, ListDeps {
  readonly clients: ClientRepository;
  readonly newId: () => string;
}

const noBrand: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no brand with this id.',
  field: 'brand_id',
};

const {
  view,
  example,
  routes: listed,
} = resource(lists.brandList, {
  noun: 'brand',
  plural: 'brands',
  area: 'clients',
  summary: 'Brands',
  example: {
    brand_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
    client_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
    client: 'Nova Foods',
    domain: 'nova.example',
    wire_brand_id: null,
    name: 'Nova',
    created_at: '2026-11-23T12:00:00.000Z',
    updated_at: '2026-11-23T12:00:00.000Z',
  },
  query: { domain: brandName },
  show: { summary: 'One brand', missing: noBrand },
  command: {
    title: 'brands of clients; a buy for a brand belongs to its client',
    summary: 'list brands, by domain',
    columns: {
      Brand: 'brand_id',
      Domain: 'domain',
      'Id in requests': 'wire_brand_id',
      Name: 'name',
      Client: 'client',
    },
    none: 'There are no brands yet. Add one with: npx switchyard brands add DOMAIN --client ID',
    whole: true,
  },
});
type BrandView = Immutable<z.output<typeof view>>;

const added = z.strictObject({
  ...view.shape,
  buys_assigned: z.int().describe('Number of existing buys of the brand that now have its client.'),
  buys_left: z.boolean().describe('True if more remain: send the same request again.'),
  ...aloneMember,
});

const route = routesOn<BrandsDeps>();

/** Brands of clients. A buy of a brand belongs to the brand's client. */
export const brandRoutes = [
  ...listed,
  route({
    method: 'post',
    path: '/v1/brands',
    id: 'add_brand',
    summary:
      'Add a brand to a client; existing buys for the brand get its client, judged by its limits like new ones',
    needs: 'clients.write',
    byPerson: true,
    body: z.strictObject({
      domain: brandName,
      client_id: z.string().max(100),
      name: givenName.exactOptional(),
      wire_brand_id: z.string().min(1).max(255).exactOptional(),
    }),
    answer: added,
    status: 201,
    mayWait: true,
    example: { ...example, buys_assigned: 0, buys_left: false },
    handle: (deps, { caller, body }) => addBrand(deps, caller, body),
  }),
  route({
    method: 'post',
    path: '/v1/brands/{id}',
    id: 'change_brand',
    summary: 'Rename a brand',
    needs: 'clients.write',
    body: z.strictObject({ name: givenName }),
    answer: view,
    handle: async ({ clients, clock }, { caller, params: { id }, body }) => {
      const scope = scopeOf(caller);
      const [brand] = isUuid(id) ? await clients.brands(scope, writing(caller), { id, limit: 1 }) : [];
      if (brand === undefined) return err(noBrand);
      const next = { ...brand, name: body.name, updatedAt: clock.now() };
      await clients.saveBrand(scope, next);
      return ok(viewOf(next));
    },
  }),
];

interface NewBrand {
  readonly domain: string;
  readonly client_id: string;
  readonly name?: string;
  readonly wire_brand_id?: string;
}

/**
 * A brand that the client already has is answered unchanged, and its buys are searched again. Another one brings every
 * buy of the brand to the client, now and later, so the caller must reach the brand and not only the client.
 */
async function addBrand(
  deps: BrandsDeps,
  caller: PrincipalCaller,
  { domain, client_id: clientId, name = domain, wire_brand_id: brandId = '' }: NewBrand,
): Promise<Result<Immutable<z.output<typeof added>> | WaitsForApproval, AdminFailure>> {
  const { clients, clock, newId } = deps;
  const scope = scopeOf(caller);
  const client = await clientIn({ clients }, caller, ownedBy(writing(caller)), clientId);
  if (client === undefined) return err(noClient);
  const owned = { clientId, domain, limit: 500 };
  const sameBrand = (brands: readonly ClientBrand[]) =>
    brands.find((clientBrand) => clientBrand.brandId === brandId);
  const before = sameBrand(await clients.brands(scope, ownedBy(writing(caller)), owned));
  if (before === undefined && !isInReach(writing(caller), { brandDomain: domain }))
    return err(ofBrand(domain));
  const at = clock.now();
  const brand = { id: newId(), clientId, domain, brandId, name, createdAt: at, updatedAt: at };
  const taken = await takeControl(deps, caller, { kind: 'add_brand', brand });
  if ('answer' in taken) return taken.answer;
  const { done } = taken;
  if (done === undefined)
    return err({ code: 'CONFLICT', message: 'Another client has this brand.', field: 'domain' });
  const { assigned, isMoreLeft } = done;
  const entered = viewOf({ ...done.brand, client: client.name });
  return ok({ ...entered, buys_assigned: assigned, buys_left: isMoreLeft, ...aloneOf(taken) });
}

function viewOf(brand: ClientBrand): BrandView {
  return {
    brand_id: brand.id,
    client_id: brand.clientId,
    client: brand.client,
    domain: brand.domain,
    wire_brand_id: brand.brandId === '' ? null : brand.brandId,
    name: brand.name,
    created_at: isoOf(brand.createdAt),
    updated_at: isoOf(brand.updatedAt),
  };
}

const ofBrand = (domain: string): AdminFailure => ({
  code: 'INSUFFICIENT_PERMISSIONS',
  message: `A new brand brings all its buys to the client: this needs the permission clients.write in the scope organization or brand:${domain}.`,
  field: 'domain',
});
