import { randomUUID } from 'node:crypto';
import { afterAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import {
  placeDraft,
  type Belonging,
  type BuyMove,
  type Campaign,
  type Client,
  type ClientBrand,
} from '@switchyard/buys';
import { createScope, makeOperation, openTestStore } from '@switchyard/testing';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';
import { operationStore } from '../buys/operation-store.js';
import { openStore } from '../core/open-store.js';
import { ledgerStore } from '../ledger/ledger-store.js';
import { assignBuy } from './assign-buy.js';
import { campaignDirectory } from './campaign-directory.js';
import { clientRepository } from './client-repository.js';

const at = Date.UTC(2026, 10, 23, 12);
const everything: Reach = { kind: 'everything' };

const { store, database, stop } = await openTestStore(openStore);
const owner = new pg.Pool({ connectionString: database.ownerUrl, max: 2 });
afterAll(() => owner.end());
afterAll(stop);

const operations = operationStore(store);
const ledger = ledgerStore(store);
const directory = campaignDirectory(store);
const repository = clientRepository(store);
const ports = {
  campaigns: directory,
  ids: { uuid: randomUUID, token: (name: string) => `${name}_${randomUUID()}` },
};
type Scope = Awaited<ReturnType<typeof createScope>>;

async function addClient(scope: Scope, name: string, more: Partial<Client> = {}): Promise<string> {
  const client = {
    id: randomUUID(),
    name,
    status: 'active' as const,
    codes: {},
    createdAt: at,
    updatedAt: at,
  };
  expect(await repository.saveClient(scope, { ...client, ...more })).toBe('stored');
  return client.id;
}

async function addBrand(scope: Scope, clientId: string, domain: string, brandId = ''): Promise<ClientBrand> {
  const brand = { id: randomUUID(), clientId, domain, brandId, name: domain, createdAt: at, updatedAt: at };
  expect(await repository.saveBrand(scope, brand)).toBe('stored');
  return { ...brand, client: '' };
}

async function addCampaign(scope: Scope, clientId: string, more: Partial<Campaign> = {}): Promise<Campaign> {
  const campaign: Campaign = {
    id: randomUUID(),
    clientId,
    client: '',
    brandDomain: 'brand.example',
    brandId: '',
    name: 'Spring',
    currency: 'USD',
    plan: {},
    rules: {},
    startsOn: '2026-11-01',
    endsOn: '2026-12-31',
    status: 'active',
    createdAt: at,
    updatedAt: at,
    ...more,
  };
  await repository.saveCampaign(scope, campaign);
  return campaign;
}

type Bought = Belonging & {
  readonly id?: string;
  readonly refused?: string;
  readonly findings?: readonly (string | undefined)[];
};

/** Assigns and stores a buy of brand.example whose request has these members. Returns its findings, or the refusal. */
async function buy(
  scope: Scope,
  args: JsonObject,
  brand: JsonObject = { domain: 'Brand.example' },
): Promise<Bought> {
  const made = makeOperation(scope, { idempotencyKey: randomUUID() });
  const draft = {
    ...made,
    buy: { ...made.buy, brand },
    operation: { ...made.operation, request: args },
  };
  const placed = await placeDraft(ports, { scope }, draft);
  if (!placed.ok) return { refused: placed.error.code };
  await operations.begin(scope, placed.value.draft);
  const id = made.buy.id;
  return {
    id,
    findings: placed.value.findings.map(({ field }) => field),
    ...(await directory.ofBuy(scope, id)),
  };
}

async function assignments(mediaBuyId: string | undefined) {
  const { rows } = await owner.query<Record<string, unknown>>(
    'select client_id, campaign_id, source, entry_id from buy_assignment where media_buy_id = $1 order by at, id',
    [mediaBuyId],
  );
  return rows;
}

/** An organization whose client Acme has brand.example with one campaign. */
async function acme(more: Partial<Campaign> = {}) {
  const scope = await createScope(store);
  const clientId = await addClient(scope, 'Acme');
  await addBrand(scope, clientId, 'brand.example');
  const campaign = await addCampaign(scope, clientId, {
    reference: 'SPRING',
    poNumber: 'PO-7',
    estimate: 'E-9',
    ...more,
  });
  return { scope, clientId, campaign };
}

const move = (mediaBuyId: string, to: Campaign | undefined, more: Partial<BuyMove> = {}): BuyMove => ({
  id: randomUUID(),
  mediaBuyId,
  to,
  principalId: randomUUID(),
  at,
  ...more,
});

describe('the campaign of a buy', () => {
  it.each<[string, (id: string) => JsonObject]>([
    ['our own member with its id', (id) => ({ ext: { switchyard: { campaign_id: id } } })],
    ['our own member with its reference', () => ({ ext: { switchyard: { campaign_id: 'SPRING' } } })],
    ['our own member with its PO number', () => ({ ext: { switchyard: { campaign_id: 'PO-7' } } })],
    ['the PO number', () => ({ po_number: 'PO-7' })],
    ['the estimate number', () => ({ agency_estimate_number: 'E-9' })],
    ['the context', (id) => ({ context: { campaign_id: id } })],
    ['the reference of the buyer', () => ({ buyer_ref: 'SPRING' })],
    ['the reference of the buyer in the context', () => ({ context: { buyer_ref: 'SPRING' } })],
  ])('is found by %s, and the decision is stored with the buy', async (_way, args) => {
    const { scope, clientId, campaign } = await acme();
    const made = await buy(scope, args(campaign.id));
    expect(made).toMatchObject({
      brandDomain: 'brand.example',
      clientId,
      campaignId: campaign.id,
      findings: [],
    });
    const decided = { client_id: clientId, campaign_id: campaign.id, source: 'request', entry_id: null };
    expect(await assignments(made.id)).toEqual([decided]);
    const { rows } = await owner.query(
      'select client_id, campaign_id from operation where organization_id = $1',
      [scope.organizationId],
    );
    expect(rows).toEqual([{ client_id: clientId, campaign_id: campaign.id }]);
  });

  it('is found by the most specific rule if the request names none', async () => {
    const { scope, clientId, campaign } = await acme();
    const other = await addCampaign(scope, clientId);
    const third = await addCampaign(scope, clientId);
    const rule = { createdAt: at };
    const rules = [
      { ...rule, id: randomUUID(), campaignId: campaign.id, brandDomain: 'brand.example' },
      {
        ...rule,
        id: randomUUID(),
        campaignId: other.id,
        brandDomain: 'brand.example',
        referenceStart: 'TV-',
      },
      { ...rule, id: randomUUID(), campaignId: third.id, referenceStart: 'TV-1' },
    ];
    for (const one of rules) expect(await repository.addRule(scope, one)).toBe('stored');
    expect(await repository.addRule(scope, { ...rules[1]!, id: randomUUID() })).toBe('taken');
    expect(await buy(scope, { buyer_ref: 'TV-12' })).toMatchObject({ campaignId: other.id });
    expect(await buy(scope, { buyer_ref: 'radio' })).toMatchObject({ campaignId: campaign.id });
    await repository.saveCampaign(scope, { ...other, status: 'closed' });
    expect(await buy(scope, { buyer_ref: 'TV-12' })).toMatchObject({ campaignId: campaign.id });
  });

  it('is never guessed: even with one campaign the buy stays unassigned, with its client', async () => {
    const { scope, clientId } = await acme();
    const made = await buy(scope, { po_number: 'PO-8' });
    expect(made).toMatchObject({ clientId, findings: ['po_number'] });
    expect(made).not.toHaveProperty('campaignId');
    expect(await assignments(made.id)).toMatchObject([{ source: 'none', campaign_id: null }]);
  });

  it('is refused if the named one is unknown, closed, or of another brand or organization', async () => {
    const { scope, clientId } = await acme();
    const named = (id: string) => buy(scope, { ext: { switchyard: { campaign_id: id } } });
    await addBrand(scope, clientId, 'second.example');
    const second = await addCampaign(scope, clientId, { brandDomain: 'second.example' });
    const closed = await addCampaign(scope, clientId, { status: 'closed' });
    const foreign = await acme();
    const refused = [];
    for (const id of ['nothing', second.id, foreign.campaign.id, closed.id]) refused.push(await named(id));
    const unknown = { refused: 'REFERENCE_NOT_FOUND' };
    expect(refused).toEqual([unknown, unknown, unknown, { refused: 'INVALID_STATE' }]);
  });

  it('is absent for an unknown brand, without a finding or decision', async () => {
    const { scope } = await acme();
    const made = await buy(scope, { po_number: 'PO-7' }, { domain: 'stranger.example' });
    expect(made).toEqual({ id: made.id, findings: [], brandDomain: 'stranger.example' });
    expect(await assignments(made.id)).toEqual([]);
  });
});

describe('the client of a brand', () => {
  it('is found by the brand id, else by its domain if all brands there have one client', async () => {
    const { scope, clientId } = await acme();
    const bravo = await addClient(scope, 'Bravo');
    await addBrand(scope, bravo, 'brand.example', 'bravo');
    const named = (id: string) => buy(scope, {}, { domain: 'brand.example', brand_id: id });
    expect(await named('bravo')).toMatchObject({ clientId: bravo });
    expect(await named('else')).not.toHaveProperty('clientId');
    expect(await buy(scope, {})).toMatchObject({ clientId });
  });

  it('that is restricted to some sellers refuses a buy at any other', async () => {
    const scope = await createScope(store);
    const clientId = await addClient(scope, 'Acme', { sellers: ['acme'] });
    await addBrand(scope, clientId, 'brand.example');
    expect(await buy(scope, {})).toEqual({ refused: 'AGENT_ACCESS_DENIED' });
  });

  it('is set on earlier buys when the brand is added, each recorded in the ledger', async () => {
    const scope = await createScope(store);
    const early = [
      await buy(scope, {}),
      await buy(scope, {}),
      await buy(scope, {}, { domain: 'other.example' }),
    ];
    const clientId = await addClient(scope, 'Acme');
    const brand = await addBrand(scope, clientId, 'brand.example');
    const by = { principalId: randomUUID(), at };
    expect(await repository.fillBrand(scope, brand, by, 1)).toBe(1);
    expect(await repository.fillBrand(scope, brand, by, 10)).toBe(1);
    expect(await repository.fillBrand(scope, brand, by, 10)).toBe(0);
    const after = await Promise.all(early.map(({ id }) => directory.ofBuy(scope, id ?? '')));
    expect(after.map((one) => one?.clientId)).toEqual([clientId, clientId, undefined]);
    expect(await assignments(early[0]?.id)).toMatchObject([{ source: 'brand', client_id: clientId }]);
    expect(await ledger.verify(scope)).toMatchObject({ ok: true, entries: 2n });
  });
});

const assign = (scope: TenantScope, reach: Reach, wanted: BuyMove) =>
  store.inTenant(scope, (client) => assignBuy(client, reach, wanted));

describe('moving a buy', () => {
  it('is refused while a period with figures of the buy is closed', async () => {
    const { scope, clientId, campaign } = await acme();
    const other = await addCampaign(scope, clientId);
    const { id = '' } = await buy(scope, { po_number: 'PO-7' });
    const spend = [scope.organizationId, randomUUID(), id];
    await owner.query(
      `insert into package_spend (organization_id, seller_buy_id, package_ref, month, currency, media_buy_id, seller,
         amount_micros, days) values ($1, $2, 'p', '2026-10', 'USD', $3, 'acme', 1, '{1}')`,
      spend,
    );
    const close = (state: string) =>
      owner.query(
        `insert into accounting_period (organization_id, period, state, updated_at) values ($1, '2026-10', $2, now())
         on conflict (organization_id, period) do update set state = $2`,
        [scope.organizationId, state],
      );
    await close('closed');
    const before = await assignments(id);
    for (const to of [other, undefined])
      expect(await assign(scope, everything, move(id, to))).toEqual({
        ...{ outcome: 'period_closed', period: '2026-10', from: campaign.id },
      });
    expect(await assignments(id)).toEqual(before);
    expect(await directory.ofBuy(scope, id)).toMatchObject({ campaignId: campaign.id });
    await close('open');
    expect(await assign(scope, everything, move(id, other))).toMatchObject({ outcome: 'moved' });
  });

  it('changes the buy and its operations, adds one entry, and keeps the chain intact', async () => {
    const { scope, clientId, campaign } = await acme();
    const other = await addCampaign(scope, clientId, { name: 'Autumn' });
    const made = await buy(scope, { po_number: 'PO-7' });
    const id = made.id ?? '';
    await ledger.bookChanges(scope, at, 100);
    const [first] = await ledger.entriesOf(scope, id);
    expect(await assign(scope, everything, move(id, other, { reason: 'wrong season' }))).toEqual({
      outcome: 'moved',
      from: campaign.id,
    });
    expect(await assign(scope, everything, move(id, other))).toMatchObject({
      outcome: 'unchanged',
    });
    expect(await directory.ofBuy(scope, id)).toMatchObject({ campaignId: other.id, clientId });
    expect(await assign(scope, everything, move(id, undefined, { from: campaign.id }))).toMatchObject({
      outcome: 'elsewhere',
    });
    expect(await assign(scope, everything, move(id, undefined))).toMatchObject({
      outcome: 'moved',
    });
    expect(await directory.ofBuy(scope, id)).toEqual({ brandDomain: 'brand.example', clientId });
    const entries = await ledger.entriesOf(scope, id);
    expect(entries[0]).toEqual(first);
    expect(entries.map(({ kind, facts }) => [kind, facts['source'], facts['campaign_id']])).toEqual([
      ['assignment', 'request', campaign.id],
      ['assignment', 'person', other.id],
      ['assignment', 'person', null],
    ]);
    expect(await ledger.verify(scope)).toMatchObject({ ok: true, entries: 3n });
    await owner.query(
      `update buy_assignment set reason = 'another' where media_buy_id = $1 and source = 'person'`,
      [id],
    );
    expect((await ledger.verify(scope)).problems.map(({ code }) => code)).toEqual([
      'assignment_differs',
      'assignment_differs',
    ]);
  });

  it('is refused for a campaign of another brand, and for buys out of reach or of another organization', async () => {
    const { scope, clientId } = await acme();
    const made = await buy(scope, {});
    const id = made.id ?? '';
    const second = await addCampaign(scope, clientId, { brandDomain: 'second.example' });
    expect(await assign(scope, everything, move(id, second))).toMatchObject({
      outcome: 'other_brand',
    });
    const narrow: Reach = {
      kind: 'limited',
      clientIds: [],
      brandDomains: ['second.example'],
      campaignIds: [],
    };
    expect(await assign(scope, narrow, move(id, undefined))).toBeUndefined();
    const foreign = await acme();
    expect(await assign(foreign.scope, everything, move(id, foreign.campaign))).toBeUndefined();
  });
});

describe('lists of clients, brands and campaigns', () => {
  it('show what is in reach: a brand, its client and its campaigns, and nothing of another organization', async () => {
    const { scope, clientId, campaign } = await acme();
    const bravo = await addClient(scope, 'Bravo');
    await addBrand(scope, bravo, 'bravo.example');
    await addCampaign(scope, bravo, { brandDomain: 'bravo.example' });
    await acme();
    const seen = async (reach: Reach) => [
      (await repository.clients(scope, reach, { limit: 10 })).map(({ name }) => name),
      (await repository.brands(scope, reach, { limit: 10 })).map(({ domain }) => domain),
      (await repository.campaigns(scope, reach, { limit: 10 })).length,
    ];
    const none = { kind: 'limited', clientIds: [], brandDomains: [], campaignIds: [] } as const;
    expect(await seen(everything)).toEqual([['Acme', 'Bravo'], ['brand.example', 'bravo.example'], 2]);
    expect(await seen({ ...none, brandDomains: ['bravo.example'] })).toEqual([
      ['Bravo'],
      ['bravo.example'],
      1,
    ]);
    expect(await seen({ ...none, clientIds: [clientId] })).toEqual([['Acme'], ['brand.example'], 1]);
    expect(await seen({ ...none, campaignIds: [campaign.id] })).toEqual([['Acme'], ['brand.example'], 1]);
    expect(await seen(none)).toEqual([[], [], 0]);
  });

  it.each(['newest', 'oldest'] as const)(
    'are read page by page without a gap, the %s first',
    async (sort) => {
      const { scope, clientId } = await acme();
      for (let more = 0; more < 4; more += 1) await addCampaign(scope, clientId, { updatedAt: at + more });
      const times: number[] = [];
      const pages: string[] = [];
      let after: readonly (string | number)[] | undefined;
      for (;;) {
        const page = await repository.campaigns(scope, everything, {
          limit: 2,
          sort,
          ...(after && { after }),
        });
        pages.push(...page.map(({ id }) => id));
        times.push(...page.map(({ updatedAt }) => updatedAt));
        const last = page.at(-1);
        if (last === undefined) break;
        after = [last.updatedAt, last.id];
      }
      expect(new Set(pages).size).toBe(5);
      expect(pages).toHaveLength(5);
      const ascending = times.toSorted((one, other) => one - other);
      expect(times).toEqual(sort === 'oldest' ? ascending : ascending.reverse());
    },
  );
});

describe('brands with one id', () => {
  it('are those of the organization, by their domains', async () => {
    const [scope, other] = [await createScope(store), await createScope(store)];
    const clientId = await addClient(scope, 'House');
    for (const domain of ['two.example', 'one.example']) await addBrand(scope, clientId, domain, 'soap');
    await addBrand(scope, clientId, 'one.example', 'soup');
    await addBrand(other, await addClient(other, 'Elsewhere'), 'far.example', 'soap');
    expect(await directory.brandsWithId(scope, 'soap')).toEqual([
      { domain: 'one.example', clientId },
      { domain: 'two.example', clientId },
    ]);
    expect(await directory.brandsWithId(scope, 'tea')).toEqual([]);
  });
});
