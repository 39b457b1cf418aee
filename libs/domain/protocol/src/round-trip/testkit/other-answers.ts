import { defined } from '@switchyard/values';
import fc from 'fast-check';
import type {
  Account,
  ListAccountsAnswer,
  SyncAccountsAnswer,
  SyncedAccount,
} from '../../entities/account/account-messages.js';
import type { Subscriber } from '../../entities/account/subscriber.js';
import type { ActivateSignalAnswer } from '../../tasks/activate-signal.js';
import type { Capabilities } from '../../entities/capabilities/capabilities.js';
import type {
  DeliveryReport,
  DeliverySlice,
  DeliveryTotals,
  MediaBuyDelivery,
  PackageDelivery,
} from '../../entities/delivery/delivery-report.js';
import type { ActivationKey, Deployment } from '../../entities/signal/deployment.js';
import type { GetSignalsAnswer } from '../../entities/signal/get-signals.js';
import type { Signal } from '../../entities/signal/signal.js';
import type { TaskError } from '../../errors/task-fault.js';
import type {
  AuthorizedProperty,
  ListAuthorizedPropertiesAnswer,
  PortfolioWords,
  PublisherAuthorization,
} from '../../entities/product/authorized-properties.js';
import type { PerformanceFeedbackAnswer } from '../../tasks/provide-performance-feedback.js';
import type { ReportUsageAnswer } from '../../tasks/report-usage.js';
import {
  address,
  amount,
  count,
  country,
  currency,
  domain,
  errorOf,
  flag,
  list,
  moment,
  opaque,
  ours,
  period,
  shape,
  some,
  word,
  words,
} from './arbitrary.js';
import { incomplete, pageMark } from './sales-answers.js';

export const warning: fc.Arbitrary<TaskError> = errorOf(
  fc.constantFrom('VALIDATION_ERROR', 'BUDGET_TOO_LOW', 'A_CODE_NOBODY_KNOWS'),
);

/** Errors with the same message are duplicates. */
export const warnings = fc.uniqueArray(warning, { maxLength: 3, selector: ({ message }) => message });

const activationKey: fc.Arbitrary<ActivationKey> = fc.oneof(
  fc.record({ type: fc.constant('segment_id' as const), segmentId: word }),
  fc.record({ type: fc.constant('key_value' as const), key: word, value: word }),
);

/** A target is a platform or an agent. Its key exists while it is live. */
const deployment = fc
  .record({
    isPlatform: flag,
    deployment: shape<Deployment>(
      { type: fc.constantFrom('platform' as const, 'agent' as const), isLive: flag },
      {
        platform: word,
        agentUrl: address,
        account: word,
        activationKey,
        estimatedMinutes: count,
        deployedAt: moment,
      },
    ),
  })
  .map(({ isPlatform, deployment: shaped }): Deployment => {
    const { platform = 'dsp', agentUrl = 'https://one.example', activationKey: key, ...rest } = shaped;
    const target = isPlatform
      ? { ...rest, type: 'platform' as const, platform }
      : { ...rest, type: 'agent' as const, agentUrl };
    return shaped.isLive && key !== undefined ? { ...target, activationKey: key } : target;
  });

const signal = shape<Signal>(
  {
    segmentId: word,
    name: word,
    description: word,
    catalogType: fc.constantFrom('marketplace', 'custom', 'owned'),
    dataProvider: word,
    deployments: list(deployment),
    original: ours,
  },
  {
    seller: word,
    agentUrl: address,
    coveragePercentage: fc.integer({ min: 0, max: 100 }),
    pricing: fc.record({ cpm: amount, currency }),
  },
);
export const signalsAnswer = shape<GetSignalsAnswer>(
  { signals: list(signal) },
  { incomplete: some(incomplete), page: pageMark },
);

export const activatedAnswer = shape<ActivateSignalAnswer>({ deployments: list(deployment), warnings }, {});

const totals = shape<DeliveryTotals>(
  { spend: amount, original: fc.constant({}) },
  { impressions: count, clicks: count },
);
const packageDelivery = shape<PackageDelivery>(
  { packageId: word, spend: amount, original: fc.constant({}) },
  {
    impressions: count,
    clicks: count,
    buyerRef: word,
    currency,
    isFinal: flag,
    measurementWindow: word,
    paused: flag,
  },
);
const slice: fc.Arbitrary<DeliverySlice> = fc
  .tuple(
    shape<DeliverySlice>(
      { start: moment, end: moment, spend: amount },
      { impressions: count, clicks: count },
    ),
    period,
  )
  .map(([one, within]) => ({ ...one, ...within }));

const rowStatus = fc.constantFrom(
  ...['pending_creatives', 'pending_start', 'active', 'paused', 'completed'],
  ...['rejected', 'canceled', 'failed', 'reporting_delayed', 'pending'],
);
const delivery = shape<MediaBuyDelivery>(
  {
    mediaBuyId: word,
    status: rowStatus,
    isAdjusted: flag,
    totals,
    byPackage: list(packageDelivery),
  },
  {
    seller: word,
    buyerRef: word,
    isFinal: flag,
    finalizedAt: moment,
    pricingModel: fc.constantFrom('cpm', 'cpcv', 'flat_rate', 'cpa', 'time'),
    totalsMissing: fc.constant(true),
    expectedAvailability: moment,
    slices: some(slice),
  },
).map(({ expectedAvailability, finalizedAt, ...drawn }): MediaBuyDelivery => {
  // Only final figures have a time at which they became final.
  const one = drawn.isFinal === true && finalizedAt !== undefined ? { ...drawn, finalizedAt } : drawn;
  // Rows without figures state that, and when the figures are expected.
  const isAway = one.status === 'failed' || one.status === 'reporting_delayed';
  if (one.totalsMissing !== true && !isAway) return one;
  const away = { ...one, totalsMissing: true, totals: { spend: '0', original: {} } };
  return one.status === 'failed' || expectedAvailability === undefined
    ? away
    : { ...away, expectedAvailability };
});

/** A pushed report has a kind and a number; a pulled one has neither, and may have several currencies. */
export const deliveryAnswer = shape<DeliveryReport>(
  { partialData: flag, deliveries: list(delivery) },
  {
    notificationType: fc.constantFrom('scheduled', 'final', 'delayed', 'adjusted', 'window_update'),
    sequenceNumber: count,
    nextExpectedAt: moment,
    period,
    currency,
    isMixed: fc.constant(true as const),
    attributionWindow: opaque,
  },
).map(
  ({ notificationType, sequenceNumber, nextExpectedAt, isMixed, partialData, ...report }): DeliveryReport => {
    if (notificationType === undefined)
      return { ...report, partialData: false, ...(isMixed === undefined ? {} : { isMixed }) };
    return {
      ...report,
      partialData,
      notificationType,
      ...defined({ sequenceNumber, nextExpectedAt }),
    };
  },
);

const accountStatus = fc.constantFrom(
  ...(['active', 'pending_approval', 'rejected', 'payment_required', 'suspended', 'closed'] as const),
);
const billing = fc.constantFrom('operator' as const, 'agent' as const, 'advertiser' as const);
const pair = { brandDomain: domain, brandId: fc.oneof(fc.constant(''), word), operator: domain };
const subscriber = shape<Subscriber>(
  { subscriberId: word, url: word, eventTypes: list(fc.constantFrom('creative.purged')), active: flag },
  {},
);
const subscribers = fc.array(subscriber, { minLength: 1, maxLength: 2 });
const account = shape<Account>(
  { accountId: word, ...pair, status: accountStatus, billing, isSandbox: flag },
  { subscribers },
);
export const accountsAnswer = shape<ListAccountsAnswer>(
  { accounts: list(account), total: count },
  { cursor: word },
);

const syncedAccount = shape<SyncedAccount>(
  {
    ...pair,
    action: fc.constantFrom('created' as const, 'updated' as const, 'unchanged' as const, 'failed' as const),
    status: accountStatus,
    isSandbox: flag,
    errors: warnings,
    warnings: list(word),
  },
  { accountId: word, billing, subscribers },
);
export const syncedAccountsAnswer = shape<SyncAccountsAnswer>(
  { accounts: list(syncedAccount), dryRun: flag },
  {},
);

const authorization = shape<PublisherAuthorization>(
  { seller: word, state: fc.constantFrom('authorized' as const, 'unverified' as const) },
  { delegationType: fc.constantFrom('direct', 'delegated', 'ad_network'), reason: word },
);
const property = shape<AuthorizedProperty>(
  { publisherDomain: domain, sellers: list(word) },
  { authorization: list(authorization) },
);
const portfolio = shape<PortfolioWords>(
  {},
  { seller: word, description: word, advertisingPolicies: word, lastUpdated: moment },
);
export const propertiesAnswer = shape<ListAuthorizedPropertiesAnswer>(
  {
    properties: fc.uniqueArray(property, { maxLength: 3, selector: (current) => current.publisherDomain }),
    channels: fc.subarray(['display', 'ctv', 'dooh', 'gaming']),
    countries: fc.uniqueArray(country),
    portfolios: list(portfolio),
  },
  { lastUpdated: moment },
);

export const feedbackAnswer = shape<PerformanceFeedbackAnswer>({ success: fc.constant(true as const) }, {});
export const usageAnswer = shape<ReportUsageAnswer>({ accepted: count, errors: warnings }, {});

const declared = shape<Capabilities>(
  {
    supportedVersions: fc.subarray(['3.0', '3.1'], { minLength: 1 }),
    protocols: fc.subarray(['media_buy', 'signals', 'creative', 'governance', 'brand', 'measurement'], {
      minLength: 1,
    }),
    idempotency: shape<Capabilities['idempotency']>({ supported: flag }, { replayTtlSeconds: count }),
    publisherDomains: fc.uniqueArray(domain),
    pricingModels: fc.subarray(['cpm', 'cpc', 'flat_rate']),
    reportingByWebhook: flag,
    windowedPullGranularities: fc.subarray(['hourly', 'daily']),
    requestSigning: shape<Capabilities['requestSigning']>(
      { supported: flag, requiredFor: list(word) },
      {
        supportedFor: words,
        methodsRequiredFor: words,
        methodsSupportedFor: words,
        required: fc.constant(true),
        contentDigest: fc.constantFrom('required' as const, 'forbidden' as const, 'either' as const),
      },
    ),
    webhookSigning: flag,
    original: fc.constant({}),
  },
  {
    webhookFault: fc.constantFrom('unsigned' as const, 'unknown_algorithm' as const),
    brandJsonUrl: address,
    keyOrigins: fc.dictionary(word, address, { minKeys: 1, maxKeys: 2, noNullPrototype: true }),
  },
);

/** Sales capabilities are in their own block. A replay time exists exactly if idempotency is supported. */
export const capabilitiesAnswer = declared.map((reported): Capabilities => {
  const { replayTtlSeconds } = reported.idempotency;
  const idempotency =
    replayTtlSeconds === undefined ? { supported: false } : { supported: true, replayTtlSeconds };
  if (reported.protocols.includes('media_buy')) return { ...reported, idempotency };
  const nothing = { publisherDomains: [], pricingModels: [], windowedPullGranularities: [] };
  return { ...reported, ...nothing, idempotency, reportingByWebhook: false };
});
