import type { Offer, Quote, Proposal, ProposalQuote } from '@switchyard/buys';
import { prefixId, splitId } from '@switchyard/protocol';
import { storableJson, storableText } from '../core/storable.js';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import type { Statement, TenantClient } from '../core/tenant-client.js';
import { run } from '../core/tenant-transaction.js';
import type { Instant } from '@switchyard/values';

/**
 * Stores the newest quote of each product, in one statement for all sellers, which is its own transaction and sets its
 * tenant itself. A late quote with an older time changes nothing. Most answers repeat the catalogue of the one before, so an
 * unchanged quote is rewritten at most once a minute, for its time. A power cut may lose those of the last half second: a
 * buy asks its seller again for a quote that is not there.
 */
export async function saveOffers(
  store: Pick<Store, 'pool'>,
  { organizationId }: TenantScope,
  quotes: readonly Quote[],
): Promise<void> {
  if (quotes.length === 0) return;
  // If a seller names one product twice, the last quote counts.
  const stored = newest(
    quotes,
    ({ connectionId, offer }) => `${connectionId} ${storableText(offer.productId)}`,
    ({ offer }) => offer.offeredAt,
  );
  await run(store.pool, {
    name: 'save_offers',
    text: `
      WITH scope AS MATERIALIZED (
        SELECT set_config('switchyard.organization_id', $1, true)::uuid AS organization_id,
               set_config('synchronous_commit', 'off', true))
      INSERT INTO offered_product (connection_id, product_id, organization_id, seller, offer, offered_at)
      SELECT quoted.connection_id, quoted.product_id, scope.organization_id, quoted.seller, quoted.offer, quoted.offered_at
      FROM scope CROSS JOIN unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::timestamptz[])
        AS quoted (connection_id, product_id, seller, offer, offered_at)
      ON CONFLICT (connection_id, product_id) DO UPDATE SET offer = excluded.offer, offered_at = excluded.offered_at
      WHERE offered_product.offered_at <= excluded.offered_at
        AND (offered_product.offer - 'offeredAt' IS DISTINCT FROM excluded.offer - 'offeredAt'
          OR offered_product.offered_at <= excluded.offered_at - interval '1 minute')`,
    values: [
      organizationId,
      stored.map(({ connectionId }) => connectionId),
      stored.map(({ offer }) => storableText(offer.productId)),
      stored.map(({ offer }) => offer.seller),
      stored.map(({ offer }) => storableJson(offer)),
      stored.map(({ offer }) => new Date(offer.offeredAt)),
    ],
  });
}

export async function readOffers(
  store: Pick<Store, 'onceInTenant'>,
  scope: TenantScope,
  prefixedIds: readonly string[],
): Promise<ReadonlyMap<string, Offer>> {
  const { rows } = await store.onceInTenant<OfferRow>(scope, {
    name: 'offers_named_once',
    text: offersOf('scope.organization_id'),
    values: slugsAndIds(prefixedIds),
  });
  return offersById(rows);
}

export interface OfferRow {
  readonly offer: Offer;
}

export function offersById(rows: readonly OfferRow[]): ReadonlyMap<string, Offer> {
  return new Map(rows.map(({ offer }) => [prefixId(offer.seller, offer.productId), offer]));
}

const offersOf = (organization: string): string => `
  SELECT offer FROM offered_product
  WHERE organization_id = ${organization} AND (seller, product_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`;

/** The newest quotes of products, by their prefixed ids. */
export function offersNamed(
  { organizationId }: Pick<TenantClient, 'organizationId'>,
  prefixedIds: readonly string[],
): Statement {
  return {
    name: 'offers_named',
    text: offersOf('$3'),
    values: [...slugsAndIds(prefixedIds), organizationId],
  };
}

/** One list of slugs and one of sellers' ids. */
function slugsAndIds(prefixedIds: readonly string[]): readonly [readonly string[], readonly string[]] {
  const wanted = prefixedIds.flatMap((id) => {
    const split = splitId(id);
    return split.ok ? [split.value] : [];
  });
  return [wanted.map(({ slug }) => storableText(slug)), wanted.map(({ id }) => storableText(id))];
}

/**
 * The newest item of each key, and the last of those with the same time, because one statement may touch a row only
 * once. Sorted by key, so that two writers cannot deadlock.
 */
function newest<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  atOf: (item: Item) => Instant,
): readonly Item[] {
  const found = new Map<string, Item>();
  for (const item of items) {
    const known = found.get(keyOf(item));
    if (known === undefined || atOf(known) <= atOf(item)) found.set(keyOf(item), item);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** Stores the newest quote of each proposal, in one statement for all sellers; an older one changes nothing. */
export async function saveProposals(client: TenantClient, quotes: readonly ProposalQuote[]): Promise<void> {
  if (quotes.length === 0) return;
  const stored = newest(
    quotes,
    ({ connectionId, proposal }) => `${connectionId} ${storableText(proposal.proposalId)}`,
    ({ proposal }) => proposal.proposedAt,
  );
  await client.query({
    name: 'save_proposals',
    text: `
      INSERT INTO offered_proposal (connection_id, proposal_id, organization_id, seller, proposal, proposed_at)
      SELECT made.connection_id, made.proposal_id, $1, made.seller, made.proposal, made.proposed_at
      FROM unnest($2::uuid[], $3::text[], $4::text[], $5::jsonb[], $6::timestamptz[])
        AS made (connection_id, proposal_id, seller, proposal, proposed_at)
      ON CONFLICT (connection_id, proposal_id)
        DO UPDATE SET proposal = excluded.proposal, proposed_at = excluded.proposed_at
        WHERE offered_proposal.proposed_at <= excluded.proposed_at`,
    values: [
      client.organizationId,
      stored.map(({ connectionId }) => connectionId),
      stored.map(({ proposal }) => storableText(proposal.proposalId)),
      stored.map(({ proposal }) => proposal.seller),
      stored.map(({ proposal }) => storableJson(proposal)),
      stored.map(({ proposal }) => new Date(proposal.proposedAt)),
    ],
  });
}

/** Reads proposals by prefixed id. Proposals of another organization are not found. */
export async function readProposals(
  store: Pick<Store, 'onceInTenant'>,
  scope: TenantScope,
  prefixedIds: readonly string[],
): Promise<ReadonlyMap<string, Proposal>> {
  const named = slugsAndIds(prefixedIds);
  if (named[0].length === 0) return new Map();
  const { rows } = await store.onceInTenant<{ proposal: Proposal }>(scope, {
    text: `SELECT proposal FROM offered_proposal
           WHERE organization_id = scope.organization_id
             AND (seller, proposal_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    values: named,
  });
  return new Map(rows.map(({ proposal }) => [prefixId(proposal.seller, proposal.proposalId), proposal]));
}
