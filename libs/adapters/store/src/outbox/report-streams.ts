import type { CountedFigure, ReportFacts, ReportPlan } from '@switchyard/events';
import { isSettled, type BuyPackage, type MediaBuyRecord, type Offer } from '@switchyard/buys';
import { isTerminal, prefixId } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { offersById, offersNamed, type OfferRow } from '../buys/offers.js';
import { readMediaBuys } from '../buys/read-media-buys.js';
import { operationOf } from '../buys/rows.js';
import type { Row, RowOf } from '../core/row-mapper.js';
import type { Store } from '../core/open-store.js';
import { present } from '../core/present.js';
import type { TenantClient } from '../core/tenant-client.js';
import type { report_versionModel } from '../generated/models.js';
import type {
  buyer_registrationModel,
  report_streamModel,
  reported_periodModel,
} from '../generated/models.js';
import { appendEvents } from './append-events.js';
import { registrationOf } from './registration-row.js';

/** Delivery reports that buyers requested, one stream per `reporting_webhook`. */
export interface ReportStreams {
  /**
   * Processes a tenant's due streams, each under its lock: the events that `plan` returns are stored together with the
   * stream's new position. Returns how many reports were written.
   */
  writeDue(
    scope: TenantScope,
    now: Instant,
    limit: number,
    plan: (facts: ReportFacts) => ReportPlan,
  ): Promise<number>;
}

export function reportStreams(store: Store): ReportStreams {
  return {
    writeDue: (scope, now, limit, plan) =>
      store.inTenant(scope, async (client) => {
        const due = await client.query<StreamRow>(
          `select * from report_stream where due_at <= $1 order by due_at limit $2 for update skip locked`,
          [new Date(now), limit],
        );
        let written = 0;
        for (const row of due.rows) written += await writeStream(client, row, now, plan);
        return written;
      }),
  };
}

/** The statement of `enqueueReports`, for others to send it with their own. */
export const wakingReports = (ids: string): string => `
  update report_stream set due_at = created_at where media_buy_id = any(${ids}::text[]) and due_at is not null`;

/** Makes the streams of these media buys due after a change of their figures. Ended streams stay ended. */
export async function enqueueReports(client: TenantClient, mediaBuyIds: readonly string[]): Promise<void> {
  if (mediaBuyIds.length === 0) return;
  await client.query({
    name: 'report_stream_wake',
    text: wakingReports('$1'),
    values: [mediaBuyIds],
  });
}

type StreamRow = Pick<report_streamModel, 'registration_id' | 'media_buy_id' | 'sequence_number'>;

async function writeStream(
  client: TenantClient,
  stream: StreamRow,
  now: Instant,
  plan: (facts: ReportFacts) => ReportPlan,
): Promise<number> {
  const facts = await readFacts(client, stream);
  if (facts === undefined) throw new Error(`The report stream ${stream.registration_id} has no media buy.`);
  const { reports, reportedPeriods, sequenceNumber, checkAgainAt } = plan(facts);
  await appendEvents(client, reports);
  for (const period of reportedPeriods) {
    await client.query(
      `insert into reported_period (registration_id, organization_id, period_start, period_end, figures_hash, event_id, reported_at)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (registration_id, period_start, period_end)
       do update set figures_hash = excluded.figures_hash, event_id = excluded.event_id, reported_at = excluded.reported_at`,
      [
        stream.registration_id,
        client.organizationId,
        new Date(period.start),
        new Date(period.end),
        period.figuresHash,
        period.eventId,
        new Date(now),
      ],
    );
  }
  await client.query(
    'update report_stream set sequence_number = $2, due_at = $3 where registration_id = $1',
    [stream.registration_id, sequenceNumber, checkAgainAt === undefined ? null : new Date(checkAgainAt)],
  );
  return reports.length;
}

async function readFacts(client: TenantClient, stream: StreamRow): Promise<ReportFacts | undefined> {
  const id = stream.registration_id;
  const registrations = await client.query<buyer_registrationModel>(
    'select * from buyer_registration where id = $1',
    [id],
  );
  const [record] = await readMediaBuys(client, { ids: [stream.media_buy_id], limit: 1 });
  const [registration] = registrations.rows;
  if (record === undefined || registration === undefined) return undefined;
  const { buy } = record;
  const operations = await client.query<Row>('select * from operation where id = $1', [buy.operationId]);
  const [operationRow] = operations.rows;
  if (operationRow === undefined) return undefined;
  const operation = operationOf(operationRow);
  const received = await client.query<reported_periodModel>(
    'select * from reported_period where registration_id = $1',
    [id],
  );
  return {
    registration: registrationOf(registration),
    taskId: operation.taskId,
    buy,
    isSettled: isTerminal(operation.status),
    sellers: sellersOf(record),
    figures: await readFigures(client, record),
    reportedPeriods: received.rows.map((row) => ({
      start: row.period_start.getTime(),
      end: row.period_end.getTime(),
      figuresHash: row.figures_hash,
    })),
    sequenceNumber: stream.sequence_number,
    ...present({ context: operation.context }),
  };
}

/** Sellers that made their part, and those that may still make it: a day is complete only with all of them. */
function sellersOf({ sellerBuys, legs }: MediaBuyRecord): ReportFacts['sellers'] {
  return sellerBuys
    .filter((item) => {
      const leg = legs.find((candidate) => candidate.id === item.legId);
      return item.sellerMediaBuyId !== undefined || (leg !== undefined && !isSettled(leg));
    })
    .map((item) => ({ seller: item.seller, hasEnded: item.reportingEndedAt !== undefined }));
}

type FigureRow = Pick<
  RowOf<report_versionModel>,
  | 'seller'
  | 'package_ref'
  | 'period_start'
  | 'period_end'
  | 'spend_micros'
  | 'impressions'
  | 'clicks'
  | 'received_at'
>;

/** The figures that count now, of every seller of the buy. */
async function readFigures(client: TenantClient, record: MediaBuyRecord): Promise<readonly CountedFigure[]> {
  const { rows } = await client.query<FigureRow>(
    `select seller, package_ref, period_start, period_end, spend_micros::text, impressions::text, clicks::text,
            received_at
     from report_version where media_buy_id = $1 and is_current`,
    [record.buy.id],
  );
  const products = record.packages.map((item) => prefixId(item.seller, item.productId));
  const quoted = await client.query<OfferRow>(offersNamed(client, products));
  const offers = offersById(quoted.rows);
  return rows.map((row) => {
    const bought = record.packages.find(
      (item) => item.seller === row.seller && item.sellerPackageId === row.package_ref,
    );
    return {
      seller: row.seller,
      packageRef: row.package_ref,
      start: row.period_start.getTime(),
      end: row.period_end.getTime(),
      spendMicros: BigInt(row.spend_micros),
      seenAt: row.received_at.getTime(),
      ...present({
        buyerRef: bought?.buyerRef,
        price: bought === undefined ? undefined : quotedPrice(bought, offers),
        impressions: row.impressions === null ? undefined : BigInt(row.impressions),
        clicks: row.clicks === null ? undefined : BigInt(row.clicks),
      }),
    };
  });
}

/**
 * The fixed price of a package's pricing option, as its seller quoted it last; absent for an auction, or if the option is
 * no longer offered.
 */
function quotedPrice(
  { seller, productId, pricingOptionId }: BuyPackage,
  offers: ReadonlyMap<string, Offer>,
): CountedFigure['price'] {
  const option = offers
    .get(prefixId(seller, productId))
    ?.pricingOptions.find((price) => price.pricingOptionId === pricingOptionId);
  return option?.fixedPrice === undefined ? undefined : { model: option.model, rate: option.fixedPrice };
}
