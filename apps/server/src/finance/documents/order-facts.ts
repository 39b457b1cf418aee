import {
  budgetAtSeller,
  flightAtSeller,
  termsShown,
  type BuyPackage,
  type MediaBuyRecord,
  type SellerBuy,
} from '@switchyard/buys';
import { agreementsOf, agreementText, type OrderedPackage, type OrderFacts } from '@switchyard/ledger';
import { isSameSite } from '@switchyard/sellers';
import type { OrderNames } from '@switchyard/store';
import { defined, isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { microsToDecimal } from '@switchyard/money';

interface OrderPart {
  readonly record: MediaBuyRecord;
  readonly part: SellerBuy;
  readonly names: OrderNames;
  /** Domain of the organization. */
  readonly organization: string;
  /** Address of the seller's agent. */
  readonly agentUrl: string;
}

/** What one seller's part of a buy orders, as it stands now. */
export function orderFacts({ record, part, names, organization, agentUrl }: OrderPart): OrderFacts {
  const { buy } = record;
  const flight = flightAtSeller(buy, part);
  const packages = record.packages.filter(({ legId }) => legId === part.legId);
  const place = {
    seller: part.seller,
    mediaBuyId: buy.id,
    ...defined({ insertionOrder: names.insertionOrder }),
  };
  const agreement = agreementsOf(names.agreements, flight.startTime.slice(0, 7))(place);
  const { entity } = names;
  return {
    organization,
    currency: buy.currency,
    buyer: {
      name: entity?.name ?? organization,
      lines:
        entity === undefined
          ? []
          : [
              entity.address.street,
              `${entity.address.post_code} ${entity.address.city}`.trim(),
              entity.address.country,
              `Tax number ${entity.taxId}`,
            ],
    },
    seller: { name: names.seller, lines: URL.canParse(agentUrl) ? [new URL(agentUrl).hostname] : [] },
    names: defined({
      Client: names.client,
      Brand: typeof buy.brand['domain'] === 'string' ? buy.brand['domain'] : undefined,
      Campaign: names.campaign,
      'PO number': names.poNumber,
      'Your order': part.sellerMediaBuyId,
      'Our order': names.insertionOrder,
      Estimate: names.estimate,
      Reference: names.reference ?? buy.buyerRef,
    }),
    packages: packages.map((item) =>
      orderedPackage(item, {
        ...{ offer: names.offers.get(item.productId), flight, agentUrl },
        isCounted: agreement?.countedBy,
      }),
    ),
    terms: [
      `Invoices are due ${String(names.termDays)} days after their date.`,
      ...(agreement === undefined ? [] : [`Agreed: ${agreementText(agreement)}.`]),
      ...new Set(packages.flatMap(cancellationOf)),
    ],
  };
}

function orderedPackage(
  item: BuyPackage,
  about: {
    readonly offer: JsonObject | undefined;
    readonly flight: { readonly startTime: string; readonly endTime: string };
    readonly agentUrl: string;
    readonly isCounted: 'seller' | 'third_party' | undefined;
  },
): OrderedPackage {
  const { holding } = termsShown(item);
  const text = (value: JsonValue | undefined): string | undefined =>
    typeof value === 'string' && value !== '' ? value : undefined;
  const options = about.offer?.['pricingOptions'];
  const option = (Array.isArray(options) ? options.filter(isJsonObject) : []).find(
    ({ pricingOptionId }) => pricingOptionId === item.pricingOptionId,
  );
  const [fixed, floor] = [text(option?.['fixedPrice']), text(option?.['floorPrice'])];
  return {
    id: item.id,
    name: text(about.offer?.['name']) ?? item.productId,
    pricingOptionId: item.pricingOptionId,
    budgetMicros: budgetAtSeller(item),
    start: text(holding['start_time']) ?? about.flight.startTime,
    end: text(holding['end_time']) ?? about.flight.endTime,
    countedBy: countedBy(holding, about),
    isCanceled: item.canceledAt !== undefined,
    ...(fixed === undefined && floor !== undefined && { isFloor: true }),
    ...defined({
      model: text(option?.['model']),
      price: fixed ?? floor,
      bid: item.bidMicros === undefined ? undefined : microsToDecimal(item.bidMicros),
      zone: item.reportingZone,
      sellerPackageId: item.sellerPackageId,
    }),
  };
}

/** Whose count is paid: as a person agreed, else as the terms of the package say, else the seller's. */
function countedBy(
  holding: JsonObject,
  {
    agentUrl,
    isCounted,
  }: { readonly agentUrl: string; readonly isCounted: 'seller' | 'third_party' | undefined },
): string {
  const measurement = isJsonObject(holding['measurement_terms']) ? holding['measurement_terms'] : {};
  const billing = isJsonObject(measurement['billing_measurement']) ? measurement['billing_measurement'] : {};
  const vendor = isJsonObject(billing['vendor']) ? billing['vendor']['domain'] : undefined;
  const isOther =
    typeof vendor === 'string' && URL.canParse(agentUrl) && !isSameSite(vendor, new URL(agentUrl).hostname);
  if (isCounted === 'seller') return 'the seller';
  if (isOther) return vendor;
  return isCounted === 'third_party' ? 'a third party' : 'the seller';
}

const fees: Readonly<Record<string, string>> = {
  none: 'without a fee',
  full_commitment: 'the whole budget is due',
  fixed_fee: 'a fixed fee is due',
  percent_remaining: 'a part of what is left is due',
};

/** What the seller quoted of a cancellation, in words that hold on every day. */
function cancellationOf({ terms }: BuyPackage): readonly string[] {
  const policy = terms?.quoted?.['cancellation_policy'];
  if (!isJsonObject(policy)) return [];
  const [notice, fee] = [policy['notice_period'], policy['cancellation_fee']];
  const period =
    isJsonObject(notice) && typeof notice['interval'] === 'number' && typeof notice['unit'] === 'string'
      ? `up to ${String(notice['interval'])} ${notice['unit'].slice(0, 20)} before the start without a fee, then `
      : '';
  const type = isJsonObject(fee) && typeof fee['type'] === 'string' ? fee['type'] : '';
  return [`Cancellation: ${period}${fees[type] ?? 'as the seller has quoted'}.`];
}
