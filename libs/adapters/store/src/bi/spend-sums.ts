import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { tenantsOf } from '../core/tenants-of.js';

/** Blocks of a ledger that one transaction sums. */
const blocksAtOnce = 5_000n;

/**
 * Sums spend by the day on which it was booked, for all days in UTC that are over, so that a question "as of" reads sums and not
 * postings. Each block is summed once, whoever else does it; a crash repeats one step. Returns the blocks that were summed.
 */
export async function sumSpend(store: Store, now: Instant): Promise<number> {
  const today = new Date(now).setUTCHours(0, 0, 0, 0);
  let blocks = 0;
  for (const organizationId of await tenantsOf(store, 'organization_ids'))
    for (;;) {
      const step = await store.inTenant({ organizationId }, async (client) => {
        const { spend_summed } = client.models;
        const own = { organization_id: organizationId, stream: 'ledger' };
        await spend_summed.createMany({ data: { ...own, number: -1 }, skipDuplicates: true });
        const { rows: found } = await client.query<{ number: string; last: string | null }>(bounds, [
          organizationId,
          new Date(today),
        ]);
        const from = BigInt(found[0]?.number ?? 0);
        const last = BigInt(found[0]?.last ?? -1);
        if (last <= from) return 0n;
        const until = last - from > blocksAtOnce ? from + blocksAtOnce : last;
        await client.query(sum, [organizationId, from, until]);
        await spend_summed.updateMany({ where: own, data: { number: until } });
        return until - from;
      });
      blocks += Number(step);
      if (step < blocksAtOnce) break;
    }
  return blocks;
}

const bounds = `
  select s.number, (
    select k.number from journal_block k
    where k.organization_id = s.organization_id and k.stream = s.stream and k.sealed_at < $2
    order by k.number desc limit 1
  ) as last
  from spend_summed s where s.organization_id = $1 and s.stream = 'ledger' for update of s`;

const sum = `
  insert into spend_booked_day as d (organization_id, booked_on, day, media_buy_id, seller, currency, amount_micros)
  select $1, to_char(k.sealed_at at time zone 'UTC', 'YYYY-MM-DD'), p.day, coalesce(p.media_buy_id, ''), p.seller, p.currency,
    sum(p.amount_micros)::bigint
  from journal_block k
  join ledger_entry e on e.organization_id = k.organization_id and e.stream = k.stream and e.block_number = k.number
  join ledger_posting p on p.entry_id = e.id and p.organization_id = e.organization_id
  where k.organization_id = $1 and k.stream = 'ledger' and k.number > $2 and k.number <= $3 and p.account = 'media_spend'
  group by 2, 3, 4, 5, 6
  on conflict (organization_id, booked_on, day, media_buy_id, seller, currency)
  do update set amount_micros = d.amount_micros + excluded.amount_micros`;
