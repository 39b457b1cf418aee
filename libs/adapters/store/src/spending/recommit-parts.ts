import { judgePart, recommit, type Commitment, type MonthAmount } from '@switchyard/buys';
import type { Instant } from '@switchyard/values';
import type { TenantClient } from '../core/tenant-client.js';
import { lockSpend } from './lock-spend.js';
import { readParts } from './part-facts.js';

/** Buys whose parts are read and written by one statement each. */
const buysAtOnce = 1_000;

/**
 * Computes what buys commit again, from their packages, what the ledger counts, what is invoiced and which figures are
 * final (docs/protocol/media-buys.md#spending-limits). Call it last in every transaction that changes one of these:
 * transactions that commit or settle spend take turns from here to the commit. Where the ledger's head is locked too, it
 * is locked before.
 */
export async function recommitBuys(
  client: TenantClient,
  mediaBuyIds: readonly string[],
  at: Instant,
): Promise<void> {
  if (mediaBuyIds.length === 0) return;
  await lockSpend(client);
  await recommitInTurn(client, mediaBuyIds, at);
}

/** The same for a transaction that has the organization's turn already. */
export async function recommitInTurn(
  client: TenantClient,
  mediaBuyIds: readonly string[],
  at: Instant,
): Promise<void> {
  for (let from = 0; from < mediaBuyIds.length; from += buysAtOnce)
    await recommitSome(client, mediaBuyIds.slice(from, from + buysAtOnce), new Date(at));
}

async function recommitSome(client: TenantClient, mediaBuyIds: readonly string[], at: Date): Promise<void> {
  const found = (await readParts(client, mediaBuyIds)).map((part) => ({
    part,
    judged: judgePart(part.facts),
  }));
  const commitments = found.flatMap(({ part, judged }) => {
    const now = recommit(part.commitments, judged, part.time);
    return now.filter((row, place) => isChanged(part.commitments[place], row));
  });
  const moved = found.filter(({ part, judged }) => part.known !== judged.state);
  await Promise.all([
    commitments.length > 0 &&
      client.query({
        name: 'spend_recommitted',
        text: `update spend_commitment c set state = n.state, amount_micros = n.amount, months = n.months::text[],
                 month_micros = n.micros::bigint[], updated_at = $6
               from unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[])
                 n(id, state, amount, months, micros)
               where c.id = n.id`,
        values: [
          commitments.map(({ id }) => id),
          commitments.map(({ state }) => state),
          commitments.map(({ amount }) => amount.toString()),
          commitments.map(({ months }) => `{${months.map(({ month }) => month).join()}}`),
          commitments.map(({ months }) => `{${months.map(({ amount }) => amount).join()}}`),
          at,
        ],
      }),
    moved.length > 0 &&
      client.query({
        name: 'spend_parts_moved',
        text: `insert into spend_part (organization_id, seller_buy_id, media_buy_id, state, since)
               select $1, n.seller_buy_id, n.media_buy_id, n.state, $5
               from unnest($2::uuid[], $3::text[], $4::text[]) n(seller_buy_id, media_buy_id, state)
               on conflict (organization_id, seller_buy_id) do update set state = excluded.state, since = excluded.since`,
        values: [
          client.organizationId,
          moved.map(({ part }) => part.sellerBuyId),
          moved.map(({ part }) => part.mediaBuyId),
          moved.map(({ judged }) => judged.state),
          at,
        ],
      }),
  ]);
}

function isChanged(before: Commitment | undefined, after: Commitment): boolean {
  return (
    before?.state !== after.state ||
    before.amount !== after.amount ||
    textOf(before.months) !== textOf(after.months)
  );
}

const textOf = (months: readonly MonthAmount[]): string =>
  months.map(({ month, amount }) => `${month} ${amount}`).join();
