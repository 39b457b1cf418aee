import { endableFrom, type SpendState } from '@switchyard/buys';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { storableText } from '../core/storable.js';
import { withinReach } from '../core/within-reach.js';
import { declaredDelay } from '../events/report-watches.js';
import { lockSpend } from './lock-spend.js';
import { recommitBuys } from './recommit-parts.js';
import type { seller_buyModel, spend_partModel } from '../generated/models.js';

/** The part of a buy at one seller, and who ends its commitment. */
interface EndOfCommitment {
  readonly mediaBuyId: string;
  readonly seller: string;
  readonly reach: Reach;
  /** UUID of the principal. */
  readonly by: string;
  readonly reason: string;
}

export type CommitmentEnded =
  /** `committedMicros` is what counts from now on. */
  | { readonly kind: 'ended'; readonly committedMicros: bigint; readonly currency: string }
  | { readonly kind: 'not_found' }
  | { readonly kind: 'not_winding_down'; readonly state: SpendState }
  | { readonly kind: 'too_early'; readonly from: Instant };

/** Ends the commitment of a part whose seller sends no final figures (docs/protocol/media-buys.md#spending-limits). */
export function commitmentEnds(store: Store) {
  return {
    end: (scope: TenantScope, end: EndOfCommitment, at: Instant): Promise<CommitmentEnded> =>
      store.inTenant(scope, async (client) => {
        const { mediaBuyId, seller, reach, by, reason } = end;
        const within = withinReach('m', reach, 4);
        await lockSpend(client);
        const { rows } = await client.query<PartRow>(
          `select b.id, k.state, k.since, ${declaredDelay} as delay_minutes, ${deadline} as deadline_hours
           from seller_buy b join media_buy m on m.id = b.media_buy_id
           join spend_part k on k.organization_id = b.organization_id and k.seller_buy_id = b.id
           where b.organization_id = $1 and b.media_buy_id = $2 and b.seller = $3 and ${within.text}`,
          [client.organizationId, storableText(mediaBuyId), storableText(seller), ...within.values],
        );
        const [part] = rows;
        if (part === undefined) return { kind: 'not_found' };
        if (part.state !== 'winding_down') return { kind: 'not_winding_down', state: part.state };
        const from = endableFrom({
          overSince: part.since.getTime(),
          delayMinutes: part.delay_minutes ?? 0,
          deadlineHours: part.deadline_hours ?? 0,
        });
        if (from > at) return { kind: 'too_early', from };
        await client.models.spend_part.updateMany({
          where: { organization_id: client.organizationId, seller_buy_id: part.id },
          data: { ended_by: by, ended_at: new Date(at), end_reason: storableText(reason) },
        });
        await recommitBuys(client, [mediaBuyId], at);
        const counts = { state: { in: ['pending', 'committed'] } };
        const left = await client.models.spend_commitment.aggregate({
          where: { organization_id: client.organizationId, media_buy_id: mediaBuyId, seller, ...counts },
          _sum: { amount_micros: true },
          _min: { currency: true },
        });
        const { amount_micros: committed } = left._sum;
        return { kind: 'ended', committedMicros: committed ?? 0n, currency: left._min.currency ?? '' };
      }),
  };
}

export type CommitmentEnds = ReturnType<typeof commitmentEnds>;

/** The latest deadline for final counts that the terms of the packages of a seller's buy `b` have, in hours. */
const deadline = `
  (select max(case when jsonb_typeof(t.hours) = 'number' then t.hours::text::float8 end)
   from buy_package p cross join lateral unnest(array[
     p.terms #> '{reported,measurement_terms,billing_measurement,finalization_deadline_hours}',
     p.terms #> '{sent,measurement_terms,billing_measurement,finalization_deadline_hours}',
     p.terms #> '{quoted,measurement_terms,billing_measurement,finalization_deadline_hours}']) t(hours)
   where p.organization_id = b.organization_id and p.media_buy_id = b.media_buy_id and p.seller = b.seller)`;

interface PartRow extends Pick<seller_buyModel, 'id'>, Pick<spend_partModel, 'since'> {
  readonly state: SpendState;
  readonly delay_minutes: number | null;
  readonly deadline_hours: number | null;
}
