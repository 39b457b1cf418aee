import { describe, expect, it } from '@jest/globals';
import { publishedSchemas, schemasAreThere } from '@switchyard/testing';
import type { JsonObject, Result } from '@switchyard/values';
import { projectEnvelope } from './message/answer-envelope.js';
import type { CreateMediaBuyAnswer } from './entities/media-buy/create-media-buy.js';
import type { DeliveryReport } from './entities/delivery/delivery-report.js';
import type { Deployment } from './entities/signal/deployment.js';
import type { Product } from './entities/product/product.js';
import type { TaskView } from './entities/task/task-view.js';
import { projectErrors } from './errors/project-errors.js';
import { projectCapabilities, type LocalCapabilities } from './entities/capabilities/local-capabilities.js';
import { projectDeliveryReport } from './entities/delivery/project-delivery-report.js';
import { taskError } from './errors/task-error.js';
import { taskTable } from './task-table.js';
import type { Form, WireProfile } from './versions/wire-profile.js';
import { writeWebhookEnvelope, type WebhookEnvelope } from './message/envelope.js';
import { publicProduct } from './entities/product/project-product.js';

/*
 * Messages of ours that `round-trip/` does not generate from the published schemas: products without prices, warnings,
 * refusals, pushed reports, webhooks, and the capabilities of this installation.
 */

const schemas = publishedSchemas();
let checked = 0;
let skipped = 0;

/** Checks a message against the published schema; without the schemas it counts the skipped checks. */
function conforms(form: Form, path: string, message: JsonObject): void {
  if (!schemasAreThere) {
    skipped += 1;
    return;
  }
  const faults = schemas.faults(form, path, JSON.parse(JSON.stringify(message)));
  expect({ form, path, faults }).toEqual({ form, path, faults: [] });
  checked += 1;
}

const profile = (form: Form): WireProfile => ({ dialect: 'adcp', form });
const modern: readonly Form[] = ['3.0', '3.1'];
const published: readonly Form[] = ['2.5', '3.0', '3.1'];
const around = (form: Form, payload: JsonObject): JsonObject =>
  projectEnvelope(
    {
      profile: profile(form),
      ...(form === '2.5' ? {} : { served: form }),
      status: 'completed',
      operationId: 'op_1',
      sellers: [{ seller: 'acme', status: 'answered', reason: 'answered', elapsed_ms: 12, items: 1 }],
      context: { trace: 'abc' },
    },
    payload,
  );

const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];

function valueOf<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const formatIds = [{ agent_url: 'https://creative.example', id: 'video_30s' }];
const reporting = {
  available_reporting_frequencies: ['daily'],
  expected_delay_minutes: 240,
  timezone: 'UTC',
  supports_webhooks: true,
  available_metrics: ['impressions', 'spend', 'clicks'],
  date_range_support: 'date_range',
};
const common = {
  product_id: 'prod:1',
  name: 'Homepage',
  description: 'Top of the page',
  format_ids: formatIds,
};
const properties = [{ publisher_domain: 'news.example', selection_type: 'all' }];
const wireProducts: Readonly<Record<Form, JsonObject>> = {
  service: {
    ...common,
    targeting: { geo: true },
    pricing_options: [
      { pricing_option_id: 'fixed', pricing_model: 'cpm', price: 12.5 },
      { pricing_option_id: 'auction', pricing_model: 'cpm-auction', floor: 3 },
      { pricing_option_id: 'flat', pricing_model: 'flat-fee', price: 1000 },
    ],
  },
  '2.5': {
    ...common,
    delivery_type: 'guaranteed',
    publisher_properties: properties,
    delivery_measurement: { provider: 'seller' },
    pricing_options: [
      { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'EUR', rate: 12.5, is_fixed: true },
      {
        pricing_option_id: 'auction',
        pricing_model: 'cpm',
        currency: 'EUR',
        is_fixed: false,
        price_guidance: { floor: 3 },
      },
    ],
  },
  '3.0': {
    ...common,
    delivery_type: 'non_guaranteed',
    channels: ['display'],
    publisher_properties: properties,
    reporting_capabilities: reporting,
    product_card: { format_id: formatIds[0] ?? {}, manifest: {} },
    pricing_options: [
      { pricing_option_id: 'fixed', pricing_model: 'cpm', currency: 'USD', fixed_price: 12.5 },
      { pricing_option_id: 'auction', pricing_model: 'cpm', currency: 'USD', floor_price: 3 },
    ],
  },
  '3.1': {
    ...common,
    delivery_type: 'guaranteed',
    publisher_properties: properties,
    reporting_capabilities: { ...reporting, windowed_pull_granularities: ['daily'] },
    product_card: { title: 'Homepage', price_label: '12.50' },
    pricing_options: [
      {
        pricing_option_id: 'fixed',
        pricing_model: 'cpm',
        currency: 'USD',
        fixed_price: 12.5,
        min_spend_per_package: 100,
      },
      { pricing_option_id: 'flat', pricing_model: 'flat_rate', currency: 'USD', fixed_price: 1000 },
    ],
  },
};

function productsFrom(form: Form): readonly Product[] {
  const payload = { products: [wireProducts[form]] };
  const { answer } = valueOf(taskTable.getProducts.readAnswer(payload, profile(form)));
  return answer.products.map((product) => ({
    ...product,
    productId: `acme:${product.productId}`,
    seller: 'acme',
  }));
}

const deployments: readonly Deployment[] = [
  { type: 'platform', platform: 'dsp', isLive: true, activationKey: { type: 'segment_id', segmentId: 's1' } },
  { type: 'agent', agentUrl: 'https://sales.example', isLive: false, estimatedMinutes: 30 },
];

function createdFrom(form: Form): CreateMediaBuyAnswer {
  const packages = [{ package_id: 'pkg_1', buyer_ref: 'p1', product_id: 'prod_1', budget: 1000.5 }];
  const modernPackages = [
    { package_id: 'pkg_1', product_id: 'prod_1', budget: 1000.5, context: { line: 1 } },
  ];
  const payloads: Readonly<Record<Form, JsonObject>> = {
    service: { media_buy_id: 'mb_1', buyer_ref: 'camp_1', status: 'active', packages },
    '2.5': { media_buy_id: 'mb_1', buyer_ref: 'camp_1', packages },
    '3.0': { media_buy_id: 'mb_1', status: 'pending_start', packages: modernPackages, context: { leg: 1 } },
    '3.1': {
      status: 'completed',
      media_buy_id: 'mb_1',
      media_buy_status: 'active',
      confirmed_at: '2026-12-01T00:00:00Z',
      revision: 1,
      packages: modernPackages,
    },
  };
  return valueOf(taskTable.createMediaBuy.readAnswer(payloads[form], profile(form))).answer;
}

const report: DeliveryReport = {
  notificationType: 'scheduled',
  sequenceNumber: 1,
  nextExpectedAt: '2027-01-03T00:00:00Z',
  period: { start: '2027-01-01T00:00:00Z', end: '2027-01-02T00:00:00Z' },
  currency: 'USD',
  partialData: false,
  deliveries: [
    {
      seller: 'acme',
      mediaBuyId: 'mb_1',
      status: 'active',
      isAdjusted: false,
      totals: { spend: '12.34', impressions: 1000, clicks: 3, original: {} },
      byPackage: [{ packageId: 'pkg_1', spend: '12.34', impressions: 1000, original: {} }],
    },
  ],
};

const taskView: TaskView = {
  taskId: 'task_1',
  taskType: 'create_media_buy',
  protocol: 'media-buy',
  status: 'completed',
  createdAt: '2026-12-01T00:00:00Z',
  updatedAt: '2026-12-01T00:01:00Z',
  completedAt: '2026-12-01T00:01:00Z',
};

function envelope(form: Form): WebhookEnvelope {
  return {
    idempotencyKey: '0b1f6f4e-5a55-4b53-9d6c-0f3a6f1d2c3b',
    taskId: 'task_1',
    operationId: 'op_1',
    taskType: 'create_media_buy',
    protocol: 'media-buy',
    status: 'completed',
    timestamp: '2026-12-01T00:01:00Z',
    result: taskTable.createMediaBuy.projectAnswer(createdFrom(form), profile(form)),
  };
}

const ownCapabilities: LocalCapabilities = {
  protocols: ['media_buy', 'signals'],
  publisherDomains: ['news.example'],
  pricingModels: ['cpm', 'flat_rate', 'strange'],
  idempotencyTtlSeconds: 86_400,
  requestSigning: { supported: true, requiredFor: ['create_media_buy'] },
  webhookSigning: true,
  reportingByWebhook: true,
  propagationSurfaces: ['snapshot'],
  brandJsonUrl: 'https://relay.example/brand.json',
  perPrincipalKeyIsolation: true,
  keyOrigins: { request_signing: 'https://relay.example', webhook_signing: 'https://relay.example' },
  lastUpdated: '2026-12-01T00:00:00Z',
};

describe('our messages, compared with the published schemas', () => {
  it('products from sellers of every form conform in every form', () => {
    for (const from of forms) {
      const products = productsFrom(from);
      for (const to of published) {
        conforms(
          to,
          'media-buy/get-products-response.json',
          around(to, taskTable.getProducts.projectAnswer({ products }, profile(to))),
        );
        // 2.5 cannot offer a product without a price.
        if (to === '2.5') continue;
        const open = products.map(publicProduct);
        conforms(
          to,
          'media-buy/get-products-response.json',
          around(to, taskTable.getProducts.projectAnswer({ products: open }, profile(to))),
        );
      }
    }
  });

  it('activations conform, with warnings and without', () => {
    for (const to of published)
      for (const warnings of [[], [taskError('SLOW_ACTIVATION', 'It takes a day.')]]) {
        const answer = taskTable.activateSignal.projectAnswer({ deployments, warnings }, profile(to));
        conforms(to, 'signals/activate-signal-response.json', around(to, answer));
      }
  });

  it('answers about a made buy conform in all arms', () => {
    for (const from of forms) {
      const buy = createdFrom(from);
      for (const to of published) {
        const path = 'media-buy/create-media-buy-response.json';
        const success = taskTable.createMediaBuy.projectAnswer(buy, profile(to));
        expect(success).not.toHaveProperty('errors');
        conforms(to, path, around(to, success));
        const refusal = projectErrors([taskError('PRODUCT_NOT_FOUND', 'No such product.')], 'adcp', to);
        conforms(to, path, projectEnvelope({ profile: profile(to), status: 'failed' }, refusal));
        if (to === '2.5') continue;
        conforms(
          to,
          path,
          projectEnvelope({ profile: profile(to), served: to, status: 'submitted', taskId: 'task_1' }, {}),
        );
      }
    }
  });

  it('delivery conforms, pulled and pushed', () => {
    for (const to of published) {
      const path = 'media-buy/get-media-buy-delivery-response.json';
      const { notificationType, ...pulled } = report;
      expect(notificationType).toBe('scheduled');
      conforms(to, path, around(to, taskTable.getMediaBuyDelivery.projectAnswer(pulled, profile(to))));
      conforms(to, path, around(to, projectDeliveryReport(report, to)));
    }
  });

  it('task views and webhook envelopes conform', () => {
    for (const to of modern) {
      conforms(
        to,
        'core/tasks-get-response.json',
        around(to, taskTable.getTask.projectAnswer(taskView, profile(to))),
      );
      conforms(to, 'core/mcp-webhook-payload.json', writeWebhookEnvelope(envelope(to), profile(to)));
    }
  });

  it('capabilities conform, for sales, for signals and for both', () => {
    for (const to of modern) {
      for (const protocols of [['media_buy'], ['signals'], ['media_buy', 'signals']] as const) {
        const document = projectCapabilities({ ...ownCapabilities, protocols }, profile(to));
        conforms(to, 'protocol/get-adcp-capabilities-response.json', around(to, document));
      }
    }
  });

  it('are compared, or the number of skipped ones is printed', () => {
    if (skipped > 0) console.warn(`published schemas absent: ${skipped} messages were not checked`);
    expect(checked + skipped).toBeGreaterThan(60);
  });
});
