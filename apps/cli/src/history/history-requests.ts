import { defined, isJsonObject, type JsonObject } from '@switchyard/values';
import { objectsIn } from '../objects-in.js';
import type { ScriptedBuy } from './history-script.js';
import { spokenRelease } from '../read-options.js';

/** Months as `YYYY-MM`, the oldest first. */
export interface Months {
  readonly closed: readonly string[];
  /** It is over, and left for finance to close. */
  readonly due: string;
  readonly open: string;
}

export const everyMonth = ({ closed, due, open }: Months): readonly string[] => [...closed, due, open];

const dayMs = 86_400_000;

/** The open month and the three before it. A month is open until the ninth of the next: then its invoices have arrived. */
export function monthsOf(now: number): Months {
  const open = new Date(now - 9 * dayMs);
  const before = (count: number): string =>
    new Date(Date.UTC(open.getUTCFullYear(), open.getUTCMonth() - count, 1)).toISOString().slice(0, 7);
  return { closed: [before(3), before(2)], due: before(1), open: before(0) };
}

/** The months of the campaigns: those played, and the current one. The flight ends with its last day. */
export function campaignMonths(
  months: Months,
  now: number,
): { readonly all: readonly string[]; readonly to: string } {
  const [year, month] = [new Date(now).getUTCFullYear(), new Date(now).getUTCMonth()];
  const all = new Set([...everyMonth(months), new Date(now).toISOString().slice(0, 7)]);
  return { all: [...all], to: new Date(Date.UTC(year, month + 1, 0)).toISOString().slice(0, 10) };
}

/** A day of the month after a month. */
export const dayAfterMonth = (month: string, day: number): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5)), day)).toISOString().slice(0, 10);

/** Of the buy that a third party counts. */
export const countedKey = ({ due }: Months): string => `history-${due}-counted`;

export type Product = JsonObject;

interface Placed {
  readonly month: string;
  /** Idempotency key: the same in every run. */
  readonly key: string;
  readonly now: number;
}

/**
 * One `create_media_buy`. Sandbox sellers get its flight in `ext.practice`, because no buy may begin in the past: the
 * request says `asap`, and the seller answers with the dates that it uses.
 */
export function buyRequestOf(
  products: readonly Product[],
  { brand, po, parts, from, days, countedBy }: ScriptedBuy,
  { month, key, now }: Placed,
): JsonObject {
  const packages = parts.flatMap(({ seller, packages: count, budget }) =>
    Array.from({ length: count }, (_, at) =>
      packageOf(products, {
        ...{ seller, at, budget: budget / count, ref: `${key}-${seller}-${at}` },
        ...defined({ countedBy }),
      }),
    ),
  );
  const firstOf = (day: number): number => Date.parse(`${month}-01`) + (day - 1) * dayMs;
  const begins = from === 'lately' ? Math.max(firstOf(3), now - 15 * dayMs) : firstOf(from);
  const first = new Date(begins).toISOString().slice(0, 10);
  return {
    adcp_version: spokenRelease,
    idempotency_key: `${key}-practice`,
    account: { brand: { domain: brand }, operator: 'agency.example' },
    brand: { domain: brand },
    start_time: 'asap',
    end_time: `${new Date(now + 40 * dayMs).toISOString().slice(0, 7)}-28T00:00:00Z`,
    packages,
    ...(po === undefined ? {} : { po_number: po }),
    ...(days === 0 ? {} : { ext: { practice: { first_day: first, days } } }),
  };
}

interface Part {
  readonly seller: string;
  /** Index among the products of the seller. */
  readonly at: number;
  readonly budget: number;
  readonly ref: string;
  readonly countedBy?: string;
}

function packageOf(products: readonly Product[], { seller, at, budget, ref, countedBy }: Part): JsonObject {
  const own = products.filter(({ product_id: id }) => typeof id === 'string' && id.startsWith(`${seller}:`));
  const product = own[at % Math.max(1, own.length)] ?? {};
  const [option = {}] = objectsIn(product['pricing_options']);
  const [format = {}] = objectsIn(product['format_ids']);
  const floor = option['floor_price'];
  return {
    product_id: product['product_id'] ?? `${seller}:nothing`,
    pricing_option_id: option['pricing_option_id'] ?? '',
    budget,
    ...(typeof floor === 'number' ? { bid_price: Math.ceil(floor * 2) } : {}),
    context: { buyer_ref: ref },
    ...(countedBy === undefined ? {} : { measurement_terms: countedByVendor(countedBy) }),
    creatives: [creativeOf(ref, isJsonObject(format) ? format : {})],
  };
}

/** Its count is owed, and may differ from the seller's by a tenth. */
const countedByVendor = (domain: string): JsonObject => ({
  billing_measurement: { vendor: { domain }, max_variance_percent: 10 },
});

function creativeOf(id: string, format: JsonObject): JsonObject {
  const name = typeof format['id'] === 'string' ? format['id'] : '';
  const isVideo = name.startsWith('video');
  const isAudio = name.startsWith('audio');
  const type = isVideo ? 'video' : isAudio ? 'audio' : 'image';
  const size = isVideo
    ? { width: 1920, height: 1080, duration_ms: 15_000 }
    : isAudio
      ? { duration_ms: 30_000 }
      : { width: 300, height: 250 };
  const url = `https://cdn.nova.example/${name}`;
  return {
    creative_id: id,
    name: id,
    format_id: format,
    assets: { main: { asset_type: type, url, ...size } },
    provenance: { digital_source_type: 'digital_creation' },
  };
}
