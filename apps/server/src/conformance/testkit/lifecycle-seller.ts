import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { releaseNames } from '@switchyard/protocol';
import { createTestDatabase } from '@switchyard/testing';
import { canonicalJson, isJsonObject, must, type JsonObject, type JsonValue } from '@switchyard/values';
import { openQuietly } from './open-quietly.js';
import { callAtEndpoint } from './task-endpoints.js';
import { openRecordingSellers } from './recording-sellers.js';
import type { Received } from './recording-seller.js';

const [release = ''] = releaseNames;
const brand = { domain: 'brand.example' };
const option = { pricing_option_id: 'cpm', pricing_model: 'cpm', currency: 'USD', fixed_price: 5 };
export const sold: JsonObject = {
  product_id: 'ctv',
  name: 'Television',
  description: 'Evenings',
  delivery_type: 'guaranteed',
  channels: ['ctv'],
  publisher_properties: [{ publisher_domain: 'news.example', selection_type: 'all' }],
  format_options: [{ format_kind: 'video_hosted', params: {} }],
  pricing_options: [option],
  reporting_capabilities: {
    available_reporting_frequencies: ['daily'],
    expected_delay_minutes: 240,
    timezone: 'UTC',
    supports_webhooks: false,
    available_metrics: ['impressions', 'spend'],
    date_range_support: 'date_range',
  },
};
const flight = { start_time: '2090-01-01T00:00:00Z', end_time: '2090-02-01T00:00:00Z' };
const purchase = { product_id: 'ctv', pricing_option_id: 'cpm', pricing: option, ...flight };
const terms: JsonObject = {
  brand,
  purchases: [purchase],
  ...flight,
  total_budget: { amount: 500, currency: 'USD' },
};
export const digest = `sha256:${createHash('sha256').update(canonicalJson(terms)).digest('base64url')}`;

function plan(status: string, more: JsonObject = {}): JsonObject {
  return {
    proposal_id: 'plan',
    proposal_kind: 'new_media_buy',
    proposal_status: status,
    expires_at: '2090-01-01T00:00:00Z',
    name: 'Plan',
    commercial_terms: terms,
    terms_digest: digest,
    ...more,
  };
}

/** The tools of a seller that has nothing older than the tasks of its release. */
const tools = [
  ...['get_adcp_capabilities', 'list_products', 'request_proposals', 'refine_proposals', 'decline_proposals'],
  ...['buy_products', 'accept_proposal', 'control_media_buy', 'get_media_buys'],
];

function answer(tool: string, args: JsonObject): JsonObject {
  switch (tool) {
    case 'get_adcp_capabilities':
      return {
        adcp: {
          major_versions: [3],
          supported_versions: [release],
          idempotency: { supported: true, replay_ttl_seconds: 86_400 },
        },
        supported_protocols: ['media_buy'],
        media_buy: { lifecycle_tools: tools.slice(1, -1), supports_proposals: true },
        account: { supported_billing: ['operator'] },
        request_signing: { supported: false },
      };
    case 'list_products':
      return { outcome: 'listed', products: [sold], feed_version: 'feed-7', cache_scope: 'account' };
    case 'request_proposals':
      return { status: 'completed', outcome: 'proposed', proposals: [plan('draft')], products: [sold] };
    case 'refine_proposals':
      return {
        status: 'completed',
        results: [
          {
            source_proposal_id: 'plan',
            outcome: 'finalized',
            proposal: plan('committed', { parent_proposal_id: 'plan' }),
          },
        ],
        products: [sold],
      };
    case 'decline_proposals':
      return { results: [{ proposal_id: 'plan', outcome: 'declined' }] };
    case 'buy_products':
    case 'accept_proposal':
      return bought(args);
    case 'control_media_buy':
      return {
        status: 'completed',
        media_buy_id: args['media_buy_id'] ?? '',
        revision: 2,
        media_buy_status: 'paused',
        affected_package_ids: [],
        available_actions: [{ task: 'control_media_buy', action: 'resume', mode: 'self_serve' }],
        warnings: [{ code: 'pacing_change_creates_delivery_risk', message: 'It will end late.' }],
      };
    case 'get_media_buys':
      return {
        media_buys: [
          {
            media_buy_id: first(args['media_buy_ids']),
            status: 'active',
            currency: 'USD',
            total_budget: 500,
            revision: 1,
            packages: [
              { package_id: `p of ${first(args['media_buy_ids'])}`, product_id: 'ctv', budget: 500 },
            ],
          },
        ],
      };
    default:
      return { errors: [{ code: 'UNSUPPORTED_FEATURE', message: 'There is no such tool.' }] };
  }
}

function first(value: JsonValue | undefined): string {
  const [item] = Array.isArray(value) ? value : [];
  return typeof item === 'string' ? item : '';
}

let made = 0;

function bought(args: JsonObject): JsonObject {
  const purchases = Array.isArray(args['purchases']) ? args['purchases'].filter(isJsonObject) : [];
  made += 1;
  const mediaBuyId = `theirs_${made}`;
  const own: JsonValue[] = purchases.map((one) => ({ ...purchase, ...one, pricing: option }));
  return {
    status: 'completed',
    media_buy_id: mediaBuyId,
    revision: 1,
    media_buy_status: 'active',
    confirmed_at: '2026-11-01T00:00:00Z',
    accepted_proposal: plan('accepted', {
      media_buy_id: mediaBuyId,
      accepted_at: '2026-11-01T00:00:00Z',
      commercial_terms: own.length === 0 ? terms : { brand, purchases: own, ...flight },
    }),
    purchase_bindings: [{ purchase_index: 0, product_id: 'ctv', package_id: `p of ${mediaBuyId}` }],
    available_actions: [{ task: 'control_media_buy', action: 'pause', mode: 'self_serve' }],
    warnings: [{ code: 'inventory_shortfall_forecast', message: 'Evenings are nearly sold.' }],
  };
}

export interface LifecycleStage {
  call(task: string, args: JsonObject): Promise<JsonObject>;
  /** What the seller received since the last call of this function, without the capabilities. */
  received(): readonly Received[];
  close(): Promise<void>;
}

/** The whole product with one seller that has only the tasks of a later release. */
export async function openLifecycleSeller(): Promise<LifecycleStage> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-lifecycle-'));
  const sellers = await openRecordingSellers(
    () => tools,
    (_seller, tool, args) => answer(tool, args),
  );
  const switchyard = await openQuietly(database, dataDir, {
    env: { SWITCHYARD_RATE_WRITES: '1000/10000' },
  });
  const imported = must(
    await switchyard.admin.importSellers(switchyard.operator, [
      { slug: 'v31', form: 'auto', dialect: 'adcp', protocol: 'mcp', agentUrl: sellers.urlOf('v31') },
    ]),
  );
  if (imported.some(({ state }) => state !== 'live')) throw new Error(JSON.stringify(imported));
  const at = { url: switchyard.url, token: await switchyard.issueToken() };
  sellers.take();
  return {
    call: (task, args) => callAtEndpoint('rest', at, task, args),
    received: () => sellers.take().filter(({ tool }) => tool !== 'get_adcp_capabilities'),
    close: async () => {
      await switchyard.close();
      await sellers.close();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
