import { waitsForApproval, type BuyFilter, type MediaBuyRecord } from '@switchyard/buys';
import type { Reach } from '@switchyard/tenancy';
import { storableText } from '../core/storable.js';
import type { TenantClient } from '../core/tenant-client.js';
import { withinReach } from '../core/within-reach.js';
import { partsOf } from './read-state.js';
import { legOf, mediaBuyOf, packageOf, sellerBuyOf } from './rows.js';
import type { Row } from '../core/row-mapper.js';

/** Media buys, newest first unless the filter sets another order, with sellers' buys, packages and legs, in four statements for any number of buys. */
export async function readMediaBuys(
  client: TenantClient,
  filter: BuyFilter,
): Promise<readonly MediaBuyRecord[]> {
  const { text, values } = statementOf(filter);
  const found = await client.query<Row>(text, [...values]);
  const buys = found.rows.map(mediaBuyOf);
  if (buys.length === 0) return [];
  const { sellerBuys, packages } = await partsOf(
    client,
    buys.map((buy) => buy.id),
  );
  const legs = await client.query<Row>('SELECT * FROM leg WHERE operation_id = ANY($1) ORDER BY seller', [
    buys.map((buy) => buy.operationId),
  ]);
  const allSellerBuys = sellerBuys.map(sellerBuyOf);
  const allPackages = packages.map(packageOf);
  const allLegs = legs.rows.map(legOf);
  return buys.map((buy) => ({
    buy,
    sellerBuys: allSellerBuys.filter((item) => item.mediaBuyId === buy.id),
    packages: allPackages.filter((item) => item.mediaBuyId === buy.id),
    legs: allLegs.filter((leg) => leg.operationId === buy.operationId),
  }));
}

/** Up to so many keys of a reach are each read by their own index; a wider reach filters the index of all buys. */
const lanesAtMost = 30;

/**
 * The statement of a filter. For a reach of few keys it takes the first buys of each key, and of those the first: if
 * few of many buys are in reach, a scan of all of them would skip the others one by one.
 */
function statementOf(filter: BuyFilter): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = [];
  const place = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, place);
  const { reach = { kind: 'everything' } } = filter;
  // The reverse order reads the same index backward.
  const order = `ORDER BY b.created_at ${isOldest(filter) ? 'ASC, b.id DESC' : 'DESC, b.id'}`;
  const isNamed = filter.ids !== undefined || filter.buyerRefs !== undefined;
  const keys = keysOf(reach);
  if (isNamed || keys.length === 0 || keys.reduce((sum, [, all]) => sum + all.length, 0) > lanesAtMost) {
    const within = withinReach('b', reach, values.length + 1);
    values.push(...within.values);
    const all = [within.text, ...conditions].join(' AND ');
    return { text: `SELECT b.* FROM media_buy b WHERE ${all} ${order} LIMIT ${place(filter.limit)}`, values };
  }
  const limit = place(filter.limit);
  const lanes = keys.map(([column, all, type]) => {
    const where = [`b.${column} = k.key`, ...conditions].join(' AND ');
    return `SELECT l.id FROM unnest(${place(all)}::${type}[]) AS k (key)
      CROSS JOIN LATERAL (SELECT b.id FROM media_buy b WHERE ${where} ${order} LIMIT ${limit}) l`;
  });
  const text = `SELECT b.* FROM (${lanes.join(' UNION ')}) AS firsts JOIN media_buy b ON b.id = firsts.id
    ${order} LIMIT ${limit}`;
  return { text, values };
}

const isOldest = ({ sort }: BuyFilter): boolean => sort === 'oldest';

function keysOf(reach: Reach): readonly (readonly [string, readonly string[], 'uuid' | 'text'])[] {
  if (reach.kind === 'everything') return [];
  const { principalId, clientIds, brandDomains, campaignIds } = reach;
  const all = [
    ['principal_id', principalId === undefined ? [] : [principalId], 'uuid'],
    ['client_id', clientIds, 'uuid'],
    ['brand_domain', brandDomains, 'text'],
    ['campaign_id', campaignIds, 'uuid'],
  ] as const;
  return all.filter(([, ids]) => ids.length > 0);
}

/** Whether the buy `b` waits for approval, as `shownStatus` defines it. */
const waits = `EXISTS (
  SELECT FROM leg w WHERE w.operation_id = b.operation_id AND w.status = 'held'
    AND w.findings @> '[{"code": "${waitsForApproval}"}]')`;

/**
 * The ids of buys whose flight, or that of a part whose seller reported another one, overlaps a time. Each way is read by
 * an index of its own. Times are stored as their writers sent them, with any offset, and compared as instants.
 */
function runningBuys({ runsAfter, runsBefore }: BuyFilter, place: (value: unknown) => string): string {
  const after = runsAfter === undefined ? undefined : place(new Date(runsAfter));
  const before = runsBefore === undefined ? undefined : place(new Date(runsBefore));
  const overlaps = (start: string, end: string): string =>
    [after && `${end} > ${after}`, before && `${start} < ${before}`].filter(Boolean).join(' AND ');
  const [start, end] = ['instant_of(f.start_time)', 'instant_of(f.end_time)'];
  const atSeller = (name: string, other: string): string =>
    `coalesce(instant_of(s.reported->>'${name}'), ${other})`;
  return `SELECT f.id FROM media_buy f WHERE ${overlaps(start, end)}
    UNION ALL SELECT f.id FROM seller_buy s JOIN media_buy f ON f.id = s.media_buy_id
      WHERE (s.reported ? 'startTime' OR s.reported ? 'endTime')
        AND ${overlaps(atSeller('startTime', start), atSeller('endTime', end))}`;
}

/** The conditions of a filter on the buy `b`, except the reach. */
function conditionsOf(filter: BuyFilter, place: (value: unknown) => string): readonly string[] {
  const { principalId, ids, buyerRefs, account, isOpen, isImpaired, after, statuses, shownAs, seller } =
    filter;
  const { isPartRefused } = filter;
  const { clientId, brandDomain, campaignId, since, until, refStart, runsAfter, runsBefore } = filter;
  const conditions: string[] = [];
  if (principalId !== undefined) conditions.push(`b.principal_id = ${place(principalId)}`);
  if (ids !== undefined || buyerRefs !== undefined) {
    const named = [
      ...(ids === undefined ? [] : [`b.id = ANY(${place(ids.map(storableText))})`]),
      ...(buyerRefs === undefined ? [] : [`b.buyer_ref = ANY(${place(buyerRefs.map(storableText))})`]),
    ];
    conditions.push(`(${named.join(' OR ')})`);
  }
  if (account !== undefined)
    conditions.push(
      `b.brand->>'domain' = ${place(account.brandDomain)}`,
      `coalesce(b.brand->>'brand_id', '') = ${place(account.brandId)}`,
      `b.operator = ${place(account.operator)}`,
    );
  if (isImpaired === true)
    conditions.push('b.id IN (SELECT i.media_buy_id FROM impairment i WHERE i.resolved_at IS NULL)');
  if (isPartRefused === true)
    conditions.push(
      `b.id IN (SELECT r.media_buy_id FROM seller_buy r WHERE r.organization_id = b.organization_id
          AND r.status = 'rejected' AND r.seller_media_buy_id IS NULL)`,
      `NOT EXISTS (SELECT FROM buy_plan n WHERE n.organization_id = b.organization_id AND n.refused_in = b.id
          AND n.media_buy_id IS NOT NULL)`,
    );
  if (isOpen === true || isImpaired === true || isPartRefused === true)
    conditions.push(`b.status NOT IN ('completed', 'rejected', 'canceled')`);
  if (statuses !== undefined) conditions.push(`b.status = ANY(${place(statuses)})`);
  if (shownAs !== undefined) {
    const stored = shownAs.map((status) => (status === 'pending_approval' ? 'pending_start' : status));
    conditions.push(`b.status = ANY(${place(stored)})`);
    const [ofStart, ofApproval] = [shownAs.includes('pending_start'), shownAs.includes('pending_approval')];
    if (ofStart !== ofApproval)
      conditions.push(`(b.status <> 'pending_start' OR ${ofStart ? 'NOT ' : ''}${waits})`);
  }
  if (seller !== undefined)
    conditions.push(
      `EXISTS (SELECT 1 FROM seller_buy s WHERE s.media_buy_id = b.id AND s.seller = ${place(seller)})`,
    );
  if (clientId !== undefined) conditions.push(`b.client_id = ${place(clientId)}`);
  if (brandDomain !== undefined) conditions.push(`b.brand_domain = ${place(storableText(brandDomain))}`);
  if (campaignId !== undefined)
    conditions.push(campaignId === null ? 'b.campaign_id IS NULL' : `b.campaign_id = ${place(campaignId)}`);
  if (since !== undefined) conditions.push(`b.created_at >= ${place(new Date(since))}`);
  if (until !== undefined) conditions.push(`b.created_at < ${place(new Date(until))}`);
  if (runsAfter !== undefined || runsBefore !== undefined)
    conditions.push(`b.id IN (${runningBuys(filter, place)})`);
  if (refStart !== undefined) conditions.push(`starts_with(b.buyer_ref, ${place(storableText(refStart))})`);
  if (after !== undefined) {
    const [at, id] = [place(new Date(after.madeAt)), place(after.id)];
    const [later, further] = isOldest(filter) ? ['>', '<'] : ['<', '>'];
    conditions.push(`(b.created_at ${later} ${at} OR (b.created_at = ${at} AND b.id ${further} ${id}))`);
  }
  return conditions;
}
