import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import {
  approveRequest,
  cancelOperation,
  createMediaBuy,
  denyRequest,
  expireRequests,
  followLeg,
  updateMediaBuy,
  type InternalApprovals,
  type MediaBuyMade,
} from '@switchyard/buys';
import type { OwnedThing } from '@switchyard/sellers';
import {
  createConnection,
  createPrincipal,
  createScope,
  openBuyingHarness,
  openTestStore,
  type BuyingHarness,
} from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { creativeStore } from '../creatives/creative-store.js';
import { organizations } from '../tenancy/organizations.js';
import { principalDirectory } from '../tenancy/principal-directory.js';
import { internalApprovals } from './internal-approvals.js';
import { spendingLimits } from './spending-limits.js';

const { store, stop } = await openTestStore(openStore);
afterAll(stop);

const everything = { kind: 'everything' } as const;
const hourMs = 3_600_000;

/** A harness on a real database at which every buy above 1500 USD needs an approval. */
async function openHarness() {
  const harness = await openBuyingHarness({ acme: { isIdempotent: true }, bravo: { isIdempotent: true } });
  const scope = await createScope(store);
  const internal: InternalApprovals = internalApprovals(store);
  const operations = operationStore(store);
  const ports = { ...harness.ports, store: operations, creatives: creativeStore(store), internal };
  for (const slug of ['acme', 'bravo']) {
    const [offer] = (await harness.store.offers(harness.scope, [`${slug}:ctv`])).values();
    if (offer === undefined) throw new Error(`${slug} offers nothing.`);
    const { id } = harness.connection(slug);
    await createConnection(store, scope.organizationId, { id, slug, agentUrl: `https://${id}.example/mcp` });
    await operations.saveOffers(scope, [{ connectionId: id, offer }]);
  }
  const limit = {
    id: randomUUID(),
    kind: 'each_buy' as const,
    key: '',
    amount: 1_500_000_000n,
    currency: 'USD',
    above: 'ask' as const,
    createdAt: harness.clock.now(),
  };
  await spendingLimits(store).set(scope, limit, randomUUID());
  const buy = async (sellers: readonly string[], more: JsonObject = {}): Promise<MediaBuyMade> => {
    return must(await createMediaBuy(ports, { ...harness.request(sellers, more), scope }));
  };
  const waiting = async () => {
    const [found] = await internal.list(scope, { reach: everything, state: 'open', limit: 10 });
    if (found === undefined) throw new Error('Nothing waits.');
    return found;
  };
  const decider = { scope, principalId: randomUUID(), reach: everything };
  return { harness, scope, ports, internal, operations, buy, waiting, decider };
}

/** Sends what is due, as the workers do. */
async function follow({ harness, scope, ports }: Awaited<ReturnType<typeof openHarness>>): Promise<void> {
  for (const leg of await ports.store.dueLegs(scope, harness.clock.now(), 10)) {
    const connection = await ports.connections.byId(scope, leg.connectionId);
    if (connection === undefined) throw new Error('A leg of nobody.');
    const leased = await ports.lease(scope, [connection], {
      operationId: leg.operationId,
      purpose: leg.task,
    });
    const secrets = leased.ok ? leased.value.get(connection.id) : undefined;
    await followLeg(ports, scope, leg.id, {
      connection,
      signal: new AbortController().signal,
      ...secrets,
    });
  }
}

const received = (harness: BuyingHarness): number =>
  ['acme', 'bravo'].reduce((sum, slug) => sum + harness.seller(slug).received.length, 0);

describe('a buy above the limit', () => {
  it('is not approved by another principal of its buyer: one account at a provider, or one e-mail address', async () => {
    const at = await openHarness();
    await at.buy(['acme', 'bravo']);
    const { id } = await at.waiting();
    const { organizationId: organization_id } = at.scope;
    const own = at.harness.principalId;
    const [byAccount, byAddress] = [randomUUID(), randomUUID()];
    const created_at = new Date();
    for (const id of [own, byAccount]) await createPrincipal(store, organization_id, { id });
    await store.inTenantModels(at.scope, async ({ principal_identity, person_password, invitation }) => {
      const account = { organization_id, issuer: 'https://login.example', subject: own, created_at };
      for (const [principal_id, kind] of [
        [own, 'jwt'],
        [byAccount, 'sign_in'],
      ] as const)
        await principal_identity.create({ data: { id: randomUUID(), principal_id, kind, ...account } });
      const email = `${own}@agency.example`;
      await person_password.create({
        data: { principal_id: own, organization_id, email, hash: 'none', changed_at: created_at },
      });
      const invited = { organization_id, email: email.toUpperCase(), role: 'viewer', invited_by: own };
      const ends = { created_at, expires_at: created_at, accepted_at: created_at };
      await invitation.create({
        data: {
          ...{ id: randomUUID(), principal_id: byAddress, ...invited, ...ends },
          ...{ scope_kind: 'organization', token_hash: Buffer.from(byAddress) },
        },
      });
    });
    for (const principalId of [byAccount, byAddress])
      expect(await approveRequest(at.ports, { ...at.decider, principalId }, id)).toMatchObject({
        error: { code: 'OWN_REQUEST' },
      });
    expect(await approveRequest(at.ports, at.decider, id)).toMatchObject({ value: { state: 'approved' } });
  });

  it('is not approved by who made the requester or holds a token of it, nor by what the requester made', async () => {
    const at = await openHarness();
    await at.buy(['acme', 'bravo']);
    const { id } = await at.waiting();
    const own = at.harness.principalId;
    const directory = principalDirectory(store);
    const principal = async (principalId: string, heldBy?: string): Promise<string> => {
      const common = { organizationId: at.scope.organizationId, name: principalId, permissions: {} };
      const made = { ...common, id: principalId, kind: 'person' as const, transitional: true, legacy: false };
      await directory.enrol(at.scope, { principal: made, ...(heldBy && { heldBy }) }, at.harness.clock.now());
      return principalId;
    };
    const admin = await principal(randomUUID());
    const maker = await principal(randomUUID(), admin);
    await principal(own, maker);
    const made = await principal(randomUUID(), own);
    const holder = await principal(randomUUID());
    const token = {
      ...{ id: randomUUID(), principalId: own, scheme: 'bearer' as const, hash: randomBytes(32), label: '' },
      ...{ createdAt: at.harness.clock.now(), expiresAt: at.harness.clock.now() + 1 },
    };
    await directory.issueToken(at.scope, token, holder);
    for (const principalId of [admin, maker, made, holder])
      expect(await approveRequest(at.ports, { ...at.decider, principalId }, id)).toMatchObject({
        error: { code: 'OWN_REQUEST' },
      });
    // Two principals of one maker are two, unless four eyes are strict. The record names who could have been both.
    const principalId = await principal(randomUUID(), admin);
    const { organizationId } = at.scope;
    await organizations(store).change(organizationId, { fourEyes: 'strict' });
    expect(await approveRequest(at.ports, { ...at.decider, principalId }, id)).toMatchObject({
      error: { code: 'OWN_REQUEST' },
    });
    await organizations(store).change(organizationId, { fourEyes: 'known' });
    expect(await approveRequest(at.ports, { ...at.decider, principalId }, id)).toMatchObject({
      value: { state: 'approved', holdersOfBoth: [admin] },
    });
  });

  it('waits unsent, and is sent with its frozen bytes when another person approves', async () => {
    const at = await openHarness();
    const { state } = await at.buy(['acme', 'bravo']);
    expect([state.operation.status, state.legs.map(({ status }) => status)]).toEqual([
      'submitted',
      ['held', 'held'],
    ]);
    await follow(at);
    expect(received(at.harness)).toBe(0);
    const { id, amount, sellers } = await at.waiting();
    expect([amount, sellers]).toEqual([2_001_000_000n, ['acme', 'bravo']]);
    const own = { ...at.decider, principalId: at.harness.principalId };
    expect(await approveRequest(at.ports, own, id)).toMatchObject({ error: { code: 'OWN_REQUEST' } });
    expect(await approveRequest(at.ports, at.decider, id, 'Fine.')).toMatchObject({
      value: { state: 'approved', decidedBy: at.decider.principalId, decisionReason: 'Fine.' },
    });
    const before = new Map(state.legs.map((leg) => [leg.id, leg.outbound]));
    await follow(at);
    const after = await at.operations.state(at.scope, state.operation.id);
    expect(after?.operation.status).toBe('completed');
    for (const leg of after?.legs ?? []) expect(leg.outbound).toBe(before.get(leg.id));
    expect(received(at.harness)).toBe(2);
    expect(await approveRequest(at.ports, at.decider, id)).toMatchObject({
      error: { code: 'DECIDED_BEFORE' },
    });
    await follow(at);
    expect(received(at.harness)).toBe(2);
  });

  it('stays open while a list that it names has ended, and is sent once that was read again', async () => {
    const at = await openHarness();
    const list = { agent_url: 'https://lists.example/mcp', list_id: 'safe' };
    const packages = ['acme', 'bravo'].map((slug) => ({
      ...{ product_id: `${slug}:ctv`, pricing_option_id: 'cpm', budget: 1_000 },
      targeting_overlay: { property_list: list },
    }));
    await at.buy([], { packages });
    const { id } = await at.waiting();
    const endedLists = (_scope: unknown, named: readonly OwnedThing[]) => Promise.resolve(named);
    const held = await approveRequest({ ...at.ports, endedLists }, at.decider, id);
    expect(held).toMatchObject({ error: { code: 'LIST_ENDED', message: expect.stringContaining('safe') } });
    await follow(at);
    expect(received(at.harness)).toBe(0);
    const readAgain = { ...at.ports, endedLists: () => Promise.resolve([]) };
    expect(await approveRequest(readAgain, at.decider, id)).toMatchObject({
      value: { state: 'approved' },
    });
    await follow(at);
    expect(received(at.harness)).toBe(2);
  });

  it('repeated while it waits is the same request', async () => {
    const at = await openHarness();
    const first = await at.buy(['acme', 'bravo']);
    const second = await at.buy(['acme', 'bravo']);
    expect([second.replayed, second.state.operation.id]).toEqual([true, first.state.operation.id]);
    expect(await at.internal.list(at.scope, { reach: everything, limit: 10 })).toHaveLength(1);
  });

  it('ends as rejected when it is denied, without a call to a seller', async () => {
    const at = await openHarness();
    const { state } = await at.buy(['acme', 'bravo']);
    const { id } = await at.waiting();
    expect(await denyRequest(at.ports, at.decider, id, 'Too much.')).toMatchObject({
      value: { state: 'denied' },
    });
    const after = await at.operations.state(at.scope, state.operation.id);
    expect(after?.operation.status).toBe('rejected');
    expect(after?.buy?.status).toBe('rejected');
    expect(after?.legs[0]?.errors[0]).toMatchObject({
      code: 'BUDGET_EXCEEDED',
      message: expect.stringMatching(/Too much/),
    });
    await follow(at);
    expect(received(at.harness)).toBe(0);
  });

  it('ends when nobody decides in time, and cannot be approved after that', async () => {
    const at = await openHarness();
    const { state } = await at.buy(['acme', 'bravo']);
    const { id } = await at.waiting();
    at.harness.clock.advance(72 * hourMs - 1);
    expect(await expireRequests(at.ports, at.scope, at.harness.clock.now())).toBe(0);
    at.harness.clock.advance(1);
    expect(await approveRequest(at.ports, at.decider, id)).toMatchObject({
      error: { code: 'DECIDED_BEFORE' },
    });
    expect(await expireRequests(at.ports, at.scope, at.harness.clock.now())).toBe(1);
    expect((await at.operations.state(at.scope, state.operation.id))?.operation.status).toBe('rejected');
    expect((await at.internal.find(at.scope, id, everything))?.state).toBe('expired');
  });

  it('fails on approval if a price has risen since, with that reason', async () => {
    const at = await openHarness();
    const { state } = await at.buy(['acme', 'bravo']);
    const [offer] = (await at.operations.offers(at.scope, ['acme:ctv'])).values();
    if (offer === undefined) throw new Error('acme offers nothing.');
    const dearer = offer.pricingOptions.map((price) => ({ ...price, fixedPrice: '12.51' }));
    await at.operations.saveOffers(at.scope, [
      {
        connectionId: at.harness.connection('acme').id,
        offer: { ...offer, pricingOptions: dearer, offeredAt: at.harness.clock.now() },
      },
    ]);
    const { id } = await at.waiting();
    expect(await approveRequest(at.ports, at.decider, id)).toMatchObject({
      value: { state: 'failed', decisionReason: expect.stringMatching(/REQUOTE_REQUIRED/) },
    });
    const after = await at.operations.state(at.scope, state.operation.id);
    expect([after?.operation.status, after?.legs[0]?.errors[0]?.code]).toEqual([
      'failed',
      'REQUOTE_REQUIRED',
    ]);
    await follow(at);
    expect(received(at.harness)).toBe(0);
  });

  it('can be canceled while it waits, which closes its approval', async () => {
    const at = await openHarness();
    const { state } = await at.buy(['acme', 'bravo']);
    const { id } = await at.waiting();
    const { principalId } = at.harness;
    const canceled = await cancelOperation(at.ports, {
      scope: at.scope,
      principalId,
      taskId: state.operation.taskId,
      deadlineMs: 1_000,
    });
    expect(canceled).toMatchObject({ value: { refusals: [], state: { operation: { status: 'canceled' } } } });
    expect((await at.internal.find(at.scope, id, everything))?.state).toBe('withdrawn');
    expect(await approveRequest(at.ports, at.decider, id)).toMatchObject({
      error: { code: 'DECIDED_BEFORE' },
    });
  });
});

describe('a change of a buy above the limit', () => {
  it('waits, and fails on approval if the buy was changed meanwhile', async () => {
    const at = await openHarness();
    const { state } = await at.buy(['acme']);
    const [item] = state.packages;
    const change = (budget: number): Promise<unknown> =>
      updateMediaBuy(at.ports, {
        ...at.harness.change({
          media_buy_id: state.buy?.id ?? '',
          packages: [{ package_id: `acme:${item?.sellerPackageId ?? ''}`, budget }],
        }),
        scope: at.scope,
        principalId: at.harness.principalId,
      });
    expect(await change(1_501)).toMatchObject({ value: { state: { legs: [{ status: 'held' }] } } });
    const { id } = await at.waiting();
    expect(await change(1_500)).toMatchObject({ value: { state: { operation: { status: 'completed' } } } });
    expect(await approveRequest(at.ports, at.decider, id)).toMatchObject({
      value: { state: 'failed', decisionReason: expect.stringMatching(/changed while/) },
    });
  });
});
