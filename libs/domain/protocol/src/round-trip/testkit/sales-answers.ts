import type { JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import type { AvailableAction } from '../../entities/media-buy/buy-actions.js';
import type { CreateMediaBuyAnswer, CreatedPackage } from '../../entities/media-buy/create-media-buy.js';
import type { CreativeFormat, ListCreativeFormatsAnswer } from '../../entities/format/creative-format.js';
import type { FormatId } from '../../entities/format/format-id.js';
import type {
  GetMediaBuysAnswer,
  BuyHistoryEntry,
  BuyPart,
  MediaBuyView,
} from '../../entities/media-buy/media-buy-view.js';
import type { GetProductsAnswer } from '../../entities/product/get-products.js';
import type { Incomplete } from '../../losses/finding.js';
import type { MediaBuyStatus } from '../../entities/media-buy/buy-status.js';
import type { PageMark } from '../../message/answer.js';
import type { PricingOption } from '../../entities/product/pricing.js';
import type { Product, PublisherProperty } from '../../entities/product/product.js';
import type { UpdateMediaBuyAnswer } from '../../entities/media-buy/update-media-buy.js';
import type { CreativeApproval } from '../../entities/creative/creative-messages.js';
import {
  amount,
  count,
  currency,
  domain,
  flag,
  list,
  moment,
  opaque,
  ours,
  address,
  shape,
  some,
  word,
  words,
} from './arbitrary.js';

const models = fc.constantFrom('cpm', 'vcpm', 'cpc', 'cpcv', 'cpv', 'cpp', 'cpa', 'flat_rate', 'time');

/** The units of pricing models that state one themselves. */
const units: Readonly<Record<string, JsonObject>> = {
  cpv: { parameters: { view_threshold: 0.5 } },
  cpp: { parameters: { demographic: 'P18-49' } },
  cpa: { event_type: 'purchase' },
  time: { parameters: { time_unit: 'day' } },
};

/** A price is fixed, or an auction with or without a floor. */
const pricingOption = fc
  .record({
    option: shape<PricingOption>(
      {
        pricingOptionId: word,
        model: models,
        currency,
        auction: flag,
        original: ours,
      },
      { fixedPrice: amount, floorPrice: amount, minSpendPerPackage: amount },
    ),
    isFixed: flag,
  })
  .map(({ option, isFixed }): PricingOption => {
    const { fixedPrice = '5', floorPrice, ...common } = option;
    const price = { ...common, original: { form: 'ours' as const, value: units[common.model] ?? {} } };
    if (isFixed) return { ...price, auction: false, fixedPrice };
    return { ...price, auction: true, ...(floorPrice === undefined ? {} : { floorPrice }) };
  });

const publisherProperty = fc
  .tuple(
    shape<PublisherProperty>(
      {
        publisherDomain: domain,
        selectionType: fc.constantFrom('all' as const, 'by_id' as const, 'by_tag' as const),
        values: words,
      },
      {},
    ),
  )
  .map(([property]): PublisherProperty =>
    property.selectionType === 'all' ? { ...property, values: [] } : property,
  );

const formatId = shape<FormatId>(
  { agentUrl: address, id: word },
  { width: count, height: count, durationMs: count },
);

const product = shape<Product>(
  {
    productId: word,
    name: word,
    description: word,
    deliveryType: fc.constantFrom('guaranteed' as const, 'non_guaranteed' as const),
    channels: list(fc.constantFrom('display', 'ctv', 'dooh')),
    formatIds: list(formatId),
    publisherProperties: list(publisherProperty),
    pricingOptions: some(pricingOption),
    reportingFrequencies: fc.subarray(['hourly', 'daily', 'monthly']),
    isCustom: flag,
    original: ours,
  },
  {
    seller: word,
    agentUrl: address,
    expectedDelayMinutes: count.map((minutes) => minutes % 10_000),
    windowedPullGranularities: fc.subarray(['hourly', 'daily'], { minLength: 1 }),
  },
);

export const incomplete = shape<Incomplete>(
  { scope: fc.constantFrom('products', 'pricing', 'forecast', 'wholesale_feed'), description: word },
  { estimatedWait: opaque },
);
export const pageMark = shape<PageMark>({}, { cursor: word, totalCount: count });

export const productsAnswer = shape<GetProductsAnswer>(
  { products: list(product) },
  {
    proposals: some(opaque),
    incomplete: some(incomplete),
    refinementApplied: some(opaque),
    propertyListApplied: flag,
    page: pageMark,
  },
);

const format = shape<CreativeFormat>(
  { formatId, name: word, original: ours },
  { seller: word, type: fc.constantFrom('display', 'video', 'audio', 'hologram') },
);
const creativeAgent = fc.record<JsonObject>(
  {
    agent_url: address,
    capabilities: fc.subarray(['generation', 'preview', 'delivery', 'weaving'], { minLength: 1 }),
  },
  { requiredKeys: ['agent_url'], noNullPrototype: true },
);
export const formatsAnswer = shape<ListCreativeFormatsAnswer>(
  { formats: list(format) },
  { creativeAgents: some(creativeAgent), page: pageMark },
);

const approval = shape<CreativeApproval>(
  {
    creativeId: word,
    status: fc.constantFrom('pending_review' as const, 'approved' as const, 'rejected' as const),
  },
  { reason: word },
).map(({ reason, ...one }): CreativeApproval =>
  // Only a rejection has a reason.
  one.status === 'rejected' && reason !== undefined ? { ...one, reason } : one,
);

const vendor = fc.record({ domain }, { noNullPrototype: true });
/** At least one term, each as in 3.1. */
const terms = fc
  .record(
    {
      pacing: fc.constantFrom('even', 'asap', 'front_loaded'),
      bid_price: count,
      impressions: count,
      start_time: moment,
      end_time: moment,
      creative_deadline: moment,
      measurement_terms: fc.record({ billing_measurement: fc.record({ vendor }) }),
      performance_standards: some(fc.record({ metric: word, threshold: count, vendor })),
      committed_metrics: some(fc.record({ scope: word, metric_id: word })),
      agency_estimate_number: word,
    },
    { noNullPrototype: true, requiredKeys: ['creative_deadline'] },
  )
  .map((one): JsonObject => JSON.parse(JSON.stringify(one)) as JsonObject);

const createdPackage = shape<CreatedPackage>(
  { packageId: word, original: ours },
  {
    buyerRef: word,
    productId: word,
    pricingOptionId: word,
    budget: amount,
    paused: flag,
    // `false` is the default and never written.
    canceled: fc.constant(true),
    targeting: opaque,
    creativeApprovals: some(approval),
    reportedTerms: terms,
    asked: fc.record({ pacing: fc.constant('asap') }, { noNullPrototype: true }),
    context: opaque,
  },
);

const mediaBuyStatus: fc.Arbitrary<MediaBuyStatus> = fc.constantFrom(
  'pending_creatives',
  'pending_start',
  'active',
  'paused',
  'completed',
  'rejected',
  'canceled',
);
const action = shape<AvailableAction>(
  {
    action: fc.constantFrom('pause', 'resume', 'cancel', 'increase_budget', 'extend_flight'),
    mode: fc.constantFrom(
      'self_serve' as const,
      'conditional_self_serve' as const,
      'requires_approval' as const,
    ),
  },
  {},
);

/** Each action occurs once. */
const actions = fc.uniqueArray(action, {
  maxLength: 3,
  selector: (current) => `${current.action} ${current.mode}`,
});

const recipient = fc
  .record({ legal_name: word, vat_id: word }, { noNullPrototype: true, requiredKeys: ['legal_name'] })
  .map((one): JsonObject => ({ ...one }));
const part = shape<BuyPart>(
  { seller: word, status: mediaBuyStatus },
  { rejectionReason: word, creativeDeadline: moment, startTime: moment, endTime: moment, asked: opaque },
);

const madeOptional = {
  seller: word,
  buyerRef: word,
  confirmedAt: fc.option(moment, { nil: null }),
  revision: fc.integer({ min: 1, max: 99 }),
  currency,
  totalBudget: amount,
  creativeDeadline: moment,
  invoiceRecipient: recipient,
  actions,
};
const made = { mediaBuyId: word, status: mediaBuyStatus, packages: list(createdPackage), original: ours };

export const createdAnswer = shape<CreateMediaBuyAnswer>(made, madeOptional);

export const updatedAnswer = shape<UpdateMediaBuyAnswer>(
  { mediaBuyId: word, affectedPackages: list(createdPackage), original: ours },
  {
    seller: word,
    buyerRef: word,
    status: mediaBuyStatus,
    revision: fc.integer({ min: 1, max: 99 }),
    currency,
    totalBudget: amount,
    invoiceRecipient: recipient,
    implementationDate: fc.option(moment, { nil: null }),
    actions,
  },
);

const historyEntry = shape<BuyHistoryEntry>(
  { revision: fc.integer({ min: 1, max: 99 }), timestamp: moment, action: word },
  { actor: word, summary: word, packageId: word },
);

const view = shape<MediaBuyView>(
  { ...made, impairments: list(opaque) },
  {
    ...madeOptional,
    statusAsOf: moment,
    createdAt: moment,
    updatedAt: moment,
    rejectionReason: word,
    cancellation: opaque,
    parts: some(part),
    cases: some(opaque),
    startTime: fc.oneof(fc.constant('asap'), moment),
    endTime: moment,
    context: opaque,
    webhookActivity: some(opaque),
    history: some(historyEntry),
  },
);
export const buysAnswer = shape<GetMediaBuysAnswer>({ mediaBuys: list(view) }, { page: pageMark });
