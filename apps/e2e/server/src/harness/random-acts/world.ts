import { randomUUID } from 'node:crypto';
import { grantDirectory, openStore, type Store } from '@switchyard/store';
import { createPrincipal, createToken, type SeededRandom } from '@switchyard/testing';
import { Catalogue, type Json } from '../buy-request.js';
import { ownerUrlOf } from '../data-folder.js';
import type { Instance } from '../instance.js';
import { admin } from '../own-everything.js';
import type { SandboxMarket } from '../sandbox-market.js';
import { OrgModel, type Actor } from './model.js';
import { microsOf, type HeldRole, type ScopeKind } from './rules.js';

/** Two organizations with their people, agents and sellers, fresh for each walk. */
export interface World {
  readonly orgs: ReadonlyMap<string, OrgModel>;
  readonly actors: Map<string, Actor>;
  readonly catalogues: ReadonlyMap<string, Catalogue>;
}

export const roleNames = ['trader', 'finance', 'reviewer', 'viewer', 'admin'] as const;
const scopeKinds: readonly ScopeKind[] = ['organization', 'client', 'brand', 'campaign', 'own'];

/** Sellers of both organizations: one answers at once, one over A2A, one after a person has looked, one by auction. */
export const sellers = ['prompt', 'courier', 'human', 'auction'] as const;

/** Every pair of roles, the same one twice too. */
const rolePairs = roleNames.flatMap((one, at) => roleNames.slice(at).map((other) => [one, other] as const));

/**
 * Makes the world of a seed. Organization `one` has a person for every pair of roles, each role in a scope that the seed
 * draws, and agents; `two` has one person alone, and her agents.
 */
export async function makeWorld(
  instance: Instance,
  secret: string,
  market: SandboxMarket,
  random: SeededRandom,
): Promise<World> {
  const store = openStore(ownerUrlOf(instance.data));
  const world = {
    orgs: new Map<string, OrgModel>(),
    actors: new Map<string, Actor>(),
    catalogues: new Map(),
  };
  for (const name of ['one', 'two']) {
    const { org, head } = await makeOrganization(instance, secret, name);
    world.orgs.set(name, org);
    world.actors.set(head.label, head);
    const to = { url: instance.url, token: head.token };
    await market.onboardAt(to);
    await addBusiness(to, org, name === 'one' ? 2 : 1);
    if (name === 'one')
      for (const [at, pair] of rolePairs.entries()) {
        const roles = pair.map((role) => drawRole(org, role, random));
        const actor = await addPrincipal(store, org, { label: `person${String(at)}`, kind: 'person', roles });
        world.actors.set(actor.label, actor);
      }
    for (const [at, scope] of (['brand', 'own', 'organization'] as const).entries()) {
      const roles = [drawRole(org, 'trader', random, scope)];
      const label = `agent-${name}${String(at)}`;
      world.actors.set(label, await addPrincipal(store, org, { label, kind: 'agent', roles }));
    }
    world.catalogues.set(name, await Catalogue.read(to));
  }
  await store.close();
  return world;
}

async function makeOrganization(
  instance: Instance,
  secret: string,
  name: string,
): Promise<{ readonly org: OrgModel; readonly head: Actor }> {
  const unique = `${name}-${randomUUID().slice(0, 8)}`;
  const domain = `${unique}.example`;
  const made = await admin({ url: instance.url, token: secret }, 'POST', '/v1/organizations', {
    name: unique,
    domain,
  });
  const org = new OrgModel(name, String(made['organization_id']), domain);
  const { principal_id: id, token } = made['admin'] as { principal_id: string; token: string };
  org.labels.set('admin', id);
  org.principals.set(id, {
    ...{ id, name: 'admin', kind: 'person', holders: new Set<string>() },
    roles: new Map([['at first', { role: 'admin', scope: 'organization', id: '' }]]),
  });
  return { org, head: { label: `head-${name}`, org: name, principalId: id, token } };
}

const lastDay = '2098-01-01';

/** Clients with a brand each, and two campaigns of each brand. */
async function addBusiness(
  to: { readonly url: string; readonly token: string },
  org: OrgModel,
  count: number,
): Promise<void> {
  const post = (path: string, body: Json): Promise<Json> => admin(to, 'POST', path, body);
  for (let at = 0; at < count; at += 1) {
    const brand = `brand${String(at)}-${org.name}.example`;
    const clientId = String((await post('/v1/clients', { name: `client ${String(at)}` }))['client_id']);
    org.labels.set(`client${String(at)}`, clientId);
    await post('/v1/brands', { domain: brand, client_id: clientId });
    org.clientOfBrand.set(brand, clientId);
    for (const number of [1, 2]) {
      const campaign = await post('/v1/campaigns', {
        ...{ name: `campaign ${String(number)} of ${brand}`, client_id: clientId, brand },
        ...{ budget: '1000000', currency: 'USD', from: '2026-01-01', to: lastDay },
      });
      const campaignId = String(campaign['campaign_id']);
      org.campaigns.set(campaignId, { brand, clientId, budget: microsOf('1000000'), to: lastDay });
      org.labels.set(`campaign${String(2 * at + number)}`, campaignId);
    }
  }
}

/** A role in a scope of the organization; half of them in all of it. */
export function drawRole(org: OrgModel, role: string, random: SeededRandom, wanted?: ScopeKind): HeldRole {
  const scope = wanted ?? (random.next() < 0.5 ? 'organization' : random.pick(scopeKinds));
  return { role, scope, id: drawId(org, scope, random) };
}

function drawId(org: OrgModel, scope: ScopeKind, random: SeededRandom): string {
  if (scope === 'client') return random.pick([...new Set(org.clientOfBrand.values())]);
  if (scope === 'brand') return random.pick([...org.clientOfBrand.keys()]);
  return scope === 'campaign' ? random.pick([...org.campaigns.keys()]) : '';
}

/** Adds a principal as a first sign-in does: nobody else holds a credential of it. */
async function addPrincipal(
  store: Store,
  org: OrgModel,
  wanted: { readonly label: string; readonly kind: 'person' | 'agent'; readonly roles: readonly HeldRole[] },
): Promise<Actor> {
  const scope = { organizationId: org.id };
  const kind = wanted.kind === 'person' ? 'person' : 'service';
  const made = await createPrincipal(store, org.id, { kind, name: wanted.label });
  for (const { role, ...held } of wanted.roles)
    await grantDirectory(store).add(scope, {
      ...{ id: randomUUID(), principalId: made.id, role, createdAt: Date.now() },
      scope:
        held.scope === 'organization' || held.scope === 'own'
          ? { kind: held.scope }
          : { kind: held.scope, id: held.id },
    });
  org.labels.set(wanted.label, made.id);
  org.principals.set(made.id, {
    ...{ id: made.id, name: wanted.label, kind: wanted.kind, holders: new Set<string>() },
    roles: new Map(wanted.roles.map((held, at) => [`at first ${String(at)}`, held])),
  });
  return {
    label: wanted.label,
    org: org.name,
    principalId: made.id,
    token: await createToken(store, made),
  };
}
