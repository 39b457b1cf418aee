import { breachText, type Campaign, type ClientBrand, type SpendPart } from '@switchyard/buys';
import { assignBuy, movableBuy } from '../campaigns/assign-buy.js';
import { campaignsIn } from '../campaigns/campaign-rows.js';
import { saveBrand } from '../campaigns/client-repository.js';
import { fillBrand } from '../campaigns/fill-brand.js';
import { present } from '../core/present.js';
import { retryDeadlock } from '../core/retry-deadlock.js';
import { rowReader } from '../core/row-mapper.js';
import type { TenantClient, TenantSession } from '../core/tenant-client.js';
import { judgeMove, type MoveVerdict } from '../spending/judge-move.js';
import { freely, refused, type ActRules, type Judged, type Verdict } from './control-act.js';

const everything = { kind: 'everything' } as const;

/** A move is judged like a buy at its target: what it could not buy there cannot be moved there either. */
export const buyAssigned: ActRules<'assign_buy'> = {
  judge: async (client, { move }, { reach, at }) => {
    const { campaignId, ...rest } = move;
    const to = await campaignOf(client, campaignId);
    if (campaignId !== undefined && to === undefined) return refused('NOT_FOUND', 'The campaign is gone.');
    if (to?.status === 'closed') return refused('CONFLICT', 'The campaign is closed.');
    const found = await movableBuy(client, reach, { ...rest, to });
    // What cannot be moved is answered by the move itself.
    if (found?.outcome !== 'movable') return freely(`media buy ${move.mediaBuyId}`);
    const { buy, clientId } = found;
    const target = present({
      campaignId,
      clientId: clientId === buy.clientId ? undefined : clientId,
    });
    const judged = await judgeMove(client, { mediaBuyId: buy.id }, target, at);
    return verdictOf(judged, {
      basedOn: [buy.campaignId ?? null, buy.clientId ?? null, amountText(judged.parts)],
      place: present({ clientId, brandDomain: buy.brandDomain, campaignId }),
      subject: `media buy ${buy.id}`,
      ...(to !== undefined && { after: `campaign ${to.name}` }),
    });
  },
  apply: async (client, { move }, { by, at, reach }) => {
    const { campaignId, ...rest } = move;
    const to = await campaignOf(client, campaignId);
    return assignBuy(client, reach, { ...rest, to, principalId: by, at });
  },
};

/** Buys that one transaction moves to the client of a brand, and transactions of one act. */
const buysAtOnce = 500;
const turnsAtMost = 20;

/** A brand of a client brings the brand's buys without a client to it. */
export const brandAdded: ActRules<'add_brand'> = {
  judge: async (client, { brand }, { at }) => {
    const judged = await judgeMove(client, { brand }, { clientId: brand.clientId }, at);
    return verdictOf(judged, {
      basedOn: amountText(judged.parts),
      place: { clientId: brand.clientId, brandDomain: brand.domain },
      subject: `brand ${brand.domain}`,
    });
  },
  apply: async (client, { brand }, { by, at }) => {
    const stored = await saveBrand(client, brand);
    const own = stored === 'stored' ? brand : await ownBrand(client, brand);
    if (own === undefined) return undefined;
    const assigned = await fillBrand(client, own, { principalId: by, at }, buysAtOnce);
    return { brand: own, assigned, isMoreLeft: assigned === buysAtOnce };
  },
  after: async (store, _act, { organizationId, by, at }, outcome) => {
    if (outcome === undefined) return undefined;
    let [{ assigned }, last] = [outcome, outcome.isMoreLeft ? buysAtOnce : 0];
    for (let turn = 1; turn < turnsAtMost && last === buysAtOnce; turn += 1) {
      last = await retryDeadlock(() =>
        store.inTenant({ organizationId }, (client) =>
          fillBrand(client, outcome.brand, { principalId: by, at }, buysAtOnce),
        ),
      );
      assigned += last;
    }
    return { ...outcome, assigned, isMoreLeft: last === buysAtOnce };
  },
};

const readBrand = rowReader<Omit<ClientBrand, 'client'>>()(
  'id, client_id, domain, brand_id, name, created_at, updated_at',
);

async function ownBrand(
  { models, organizationId }: TenantSession,
  { clientId, domain, brandId }: Pick<ClientBrand, 'clientId' | 'domain' | 'brandId'>,
) {
  const key = { organization_id: organizationId, domain, brand_id: brandId };
  const row = await models.brand.findFirst({ where: { ...key, client_id: clientId } });
  return row === null ? undefined : readBrand(row);
}

async function campaignOf(client: TenantClient, id: string | undefined): Promise<Campaign | undefined> {
  return id === undefined ? undefined : (await campaignsIn(client, everything, { id, limit: 1 }))[0];
}

function verdictOf({ verdict, parts }: MoveVerdict, judged: Omit<Judged, 'asks' | 'reason'>): Verdict {
  if (verdict.kind === 'no_rate')
    return refused(
      'NO_RATE',
      `A spending limit is in ${verdict.to}, and no rate from ${verdict.from} was entered.`,
    );
  if (verdict.kind === 'refuse') return refused('OVER_LIMIT', breachText(verdict.breaches));
  if (verdict.kind === 'within') return { ...judged, asks: false, reason: '' };
  const currency = parts[0]?.currency;
  const isOne = parts.every((part) => part.currency === currency);
  return {
    ...judged,
    asks: true,
    reason: breachText(verdict.breaches),
    ...(isOne && currency !== undefined && { amount: sumOf(parts), currency }),
  };
}

const sumOf = (parts: readonly SpendPart[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n);

const amountText = (parts: readonly SpendPart[]): string =>
  parts
    .map(({ seller, currency, amount }) => `${seller} ${amount} ${currency}`)
    .toSorted()
    .join(', ');
