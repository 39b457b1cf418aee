import { taskTable } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { listedOutput } from './tool-schemas.js';

/**
 * Request members with contents that another party defines, by name, with a description. Every other object of a
 * request names its members, and the specs fail for one that does neither.
 */
const open: Readonly<Record<string, string>> = {
  address: 'A postal address.',
  age_restriction: 'Ages that may or may not be reached, as the seller reads it.',
  alternatives: 'Which other proposals are wanted beside it.',
  audience: 'Rows by audience; its members narrow them.',
  audience_evidence_pins: 'Evidence about an audience that the purchase is made on.',
  audience_evidence_requirements: 'What evidence about audiences has to show.',
  authentication: 'How the receiver checks what it is sent: `schemes` and `credentials`.',
  bank: 'Bank details.',
  bidding: 'How the seller bids, and at most how high.',
  billing_entity: 'Who is billed.',
  brand: 'The advertiser: `domain`, and `brand_id` where it has several.',
  brand_kit_override: 'What the brand wants to look like, for this request.',
  brand_manifest: 'The brand as older releases describe it.',
  budget_allocation: 'How a total budget is divided over packages.',
  collection_list: 'A list of collections, kept at an agent.',
  collection_list_exclude: 'A list of collections, kept at an agent.',
  constraints: 'What a refined proposal has to keep.',
  context: 'Comes back as it was sent.',
  creatives: 'A creative: `creative_id`, `name`, `format_id`, `assets`.',
  criteria: 'What is wanted: flight, budget, targeting, formats.',
  data_subject_contestation: 'How a person contests data about it.',
  device_platform: 'Rows by platform; its members narrow them.',
  device_type: 'Rows by device; its members narrow them.',
  ext: 'Members of an extension, by its name.',
  format_option_refs: 'A format of the product, as its answer named it.',
  frequency_cap: 'How often one person is reached.',
  geo: 'Rows by place; its members narrow them.',
  invoice_recipient: 'Who gets the invoice.',
  io_acceptance: 'The insertion order that is accepted, and by whom.',
  keyword_targets_add: 'A keyword to target: `keyword`, `match_type`.',
  keyword_targets_remove: 'A keyword that is targeted no more.',
  measurement_terms: 'Who measures, and whose figures are billed.',
  negative_keywords_add: 'A keyword to avoid: `keyword`, `match_type`.',
  negative_keywords_remove: 'A keyword that is avoided no more.',
  notification_configs: 'Where to send news: `url` and `event_types`.',
  opportunity: 'The deal that a request belongs to, in the words of the buyer.',
  optimization_goals: 'What the seller optimizes for.',
  options: 'How the listing is to be answered.',
  performance_standards: 'What the delivery has to reach: `metric`, `threshold`.',
  placement: 'Rows by placement; its members narrow them.',
  post_click: 'A length of time after a click.',
  post_view: 'A length of time after a view.',
  pricing: 'The price that is accepted, as the product had it.',
  product_changes: 'What a refined proposal changes in its products.',
  property_list: 'A list of properties, kept at an agent.',
  refine: 'A wish about one product or proposal of an earlier answer.',
  required_features: 'What sellers must support.',
  signal_ids: 'A signal of a catalogue.',
  signal_refs: 'A signal of a catalogue.',
  targeting: 'Whom to reach, in the words of older releases.',
  targeting_overlay: 'Whom to reach, in the words of the release.',
  trusted_match: 'What the product must offer for matching.',
};

/** The arguments of a task, with a description for each object whose members are not named. */
export function describedInput(schema: JsonObject): JsonObject {
  return described(schema, '') as JsonObject;
}

function described(value: JsonValue, name: string): JsonValue {
  if (Array.isArray(value)) return value.map((item: JsonValue) => described(item, name));
  if (!isJsonObject(value)) return value;
  const { properties } = value;
  const names = isJsonObject(properties) ? properties : {};
  const members = Object.entries(value).map(([key, item]) =>
    key === 'properties'
      ? [key, Object.fromEntries(Object.entries(names).map(([own, inner]) => [own, described(inner, own)]))]
      : [key, schemaWords.has(key) ? described(item, name) : item],
  );
  const words = open[name];
  const isOpen = value['type'] === 'object' && Object.keys(names).length === 0;
  const summary = Object.fromEntries(members) as JsonObject;
  return isOpen && words !== undefined && summary['description'] === undefined
    ? { description: words, ...summary }
    : summary;
}

/** Keywords of JSON Schema that contain schemas. */
const schemaWords: ReadonlySet<string> = new Set(['items', 'anyOf', 'oneOf', 'allOf', 'prefixItems']);

const text: JsonObject = { type: 'string' };
const number: JsonObject = { type: 'number' };
const flag: JsonObject = { type: 'boolean' };
const any = (description: string): JsonObject => ({ type: 'object', description });
const listOf = (items: JsonObject): JsonObject => ({ type: 'array', items });
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });

const formatId = object({ agent_url: text, id: text });
const onePackage = object({
  ...{ package_id: text, product_id: text, buyer_ref: text, status: text },
  ...{ paused: flag, canceled: flag },
});
const figures = object({ impressions: number, spend: number, clicks: number, completed_views: number });

/** The contents of answer members, as in every release that has them. */
const inside: Readonly<Record<string, JsonObject>> = {
  errors: object({
    code: text,
    message: text,
    field: { type: 'string', description: 'Path of the invalid member.' },
    suggestion: text,
    recovery: { type: 'string', description: 'transient, correctable or terminal.' },
    details: any('More about this error, by its code.'),
  }),
  pagination: object({ has_more: flag, cursor: text, total_count: number }),
  products: object({
    product_id: { type: 'string', description: 'With the seller in front: `acme:p1`.' },
    name: text,
    description: text,
    delivery_type: text,
    pricing_options: listOf(object({ pricing_option_id: text, pricing_model: text, currency: text })),
  }),
  proposals: object({ proposal_id: text, name: text, description: text }),
  results: object({ proposal_id: text, outcome: text }),
  purchase_continuation: any('How to buy what was found: the task, and what it takes.'),
  accepted_proposal: object({ proposal_id: text, terms_digest: text }),
  purchase_bindings: any('A package, and the part of the purchase that it stands for.'),
  signals: object({ signal_agent_segment_id: text, name: text, description: text, data_provider: text }),
  formats: object({ format_id: formatId, name: text, type: text }),
  creatives: object({ creative_id: text, name: text, status: text, action: text, format_id: formatId }),
  packages: onePackage,
  affected_packages: onePackage,
  media_buys: object({
    media_buy_id: text,
    status: text,
    buyer_ref: text,
    currency: text,
    packages: listOf(onePackage),
  }),
  media_buy_deliveries: object({ media_buy_id: text, status: text, totals: figures }),
  aggregated_totals: figures,
  delivery: any('Figures as the older dialect has them.'),
  notification_configs: object({ subscriber_id: text, url: text, event_types: listOf(text), active: flag }),
  deployments: object({ type: text, platform: text, account: text, is_live: flag }),
  result: any('The answer of the task, once it has one.'),
  tasks: object({ task_id: text, task_type: text, status: text, created_at: text, updated_at: text }),
  properties: object({ property_type: text, name: text, publisher_domain: text }),
  accounts: object({ account_id: text, name: text, status: text, operator: text }),
  ads: any('What the service dialect offers.'),
  adcp: any('Releases that are spoken.'),
  media_buy: any('What can be done with media buys.'),
};
/** Entries that differ from `inside` in the answer of one task. */
const insideOf: Readonly<Record<string, Readonly<Record<string, JsonObject>>>> = {
  [taskTable.getCapabilities.name]: { signals: any('What can be done with signals.') },
};

const format_id: JsonObject = { agent_url: 'https://creatives.example', id: 'video_15s' };
const account: JsonObject = { brand: { domain: 'nova.example' }, operator: 'agency.example' };

const bought: JsonObject = {
  status: 'completed',
  media_buy_id: 'mb_311e5ca0-845f-4765',
  purchase_bindings: [{ purchase_index: 0, product_id: 'acme:p1', package_id: 'acme:pkg_1' }],
};

/** Short example answers. */
const examples: Readonly<Record<string, JsonObject>> = {
  [taskTable.getProducts.name]: {
    status: 'completed',
    products: [
      {
        product_id: 'acme:p1',
        name: 'Front page',
        delivery_type: 'guaranteed',
        pricing_options: [{ pricing_option_id: 'cpm-usd', pricing_model: 'cpm', currency: 'USD' }],
      },
    ],
  },
  [taskTable.createMediaBuy.name]: {
    status: 'completed',
    media_buy_id: 'mb_311e5ca0-845f-4765',
    packages: [{ package_id: 'acme:pkg_1', product_id: 'acme:p1' }],
  },
  [taskTable.getMediaBuys.name]: {
    status: 'completed',
    media_buys: [{ media_buy_id: 'mb_311e5ca0-845f-4765', status: 'active', currency: 'USD' }],
  },
  [taskTable.getTask.name]: { task_id: 'task_7d0b4a3c', task_type: 'create_media_buy', status: 'submitted' },
  [taskTable.getCapabilities.name]: {
    status: 'completed',
    supported_protocols: ['media_buy', 'signals'],
    media_buy: { supported_pricing_models: ['cpm'] },
  },
  [taskTable.getSignals.name]: {
    status: 'completed',
    signals: [{ signal_agent_segment_id: 'acme:owners', name: 'Owners', data_provider: 'Acme' }],
  },
  [taskTable.listCreativeFormats.name]: {
    status: 'completed',
    formats: [{ format_id, name: 'Video, 15 s' }],
  },
  [taskTable.syncCreatives.name]: {
    status: 'completed',
    creatives: [{ creative_id: 'spring-15s', action: 'created', status: 'processing' }],
  },
  [taskTable.listCreatives.name]: {
    status: 'completed',
    creatives: [{ creative_id: 'spring-15s', name: 'Spring, 15 s', format_id, status: 'approved' }],
    pagination: { has_more: false, total_count: 1 },
  },
  [taskTable.updateMediaBuy.name]: {
    status: 'completed',
    media_buy_id: 'mb_311e5ca0-845f-4765',
    affected_packages: [{ package_id: 'acme:pkg_1', paused: true }],
  },
  [taskTable.getMediaBuyDelivery.name]: {
    status: 'completed',
    currency: 'USD',
    media_buy_deliveries: [
      {
        media_buy_id: 'mb_311e5ca0-845f-4765',
        status: 'active',
        totals: { impressions: 41_000, spend: 512.5 },
      },
    ],
  },
  [taskTable.activateSignal.name]: {
    status: 'completed',
    deployments: [{ type: 'platform', platform: 'dsp', is_live: true }],
  },
  [taskTable.listTasks.name]: {
    status: 'completed',
    tasks: [{ task_id: 'task_7d0b4a3c', task_type: 'create_media_buy', status: 'submitted' }],
  },
  [taskTable.cancelTask.name]: { task_id: 'task_7d0b4a3c', status: 'canceled' },
  [taskTable.listAuthorizedProperties.name]: { status: 'completed', publisher_domains: ['news.example'] },
  [taskTable.listAccounts.name]: {
    status: 'completed',
    accounts: [{ ...account, account_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1', status: 'active' }],
  },
  [taskTable.syncAccounts.name]: {
    status: 'completed',
    accounts: [{ ...account, action: 'created', status: 'active' }],
  },
  [taskTable.providePerformanceFeedback.name]: { status: 'completed', success: true },
  [taskTable.reportUsage.name]: { status: 'completed', accepted: 1 },
  list_products: {
    outcome: 'listed',
    feed_version: 'op_311e5ca0',
    products: [{ product_id: 'acme:p1', name: 'Front page', delivery_type: 'guaranteed' }],
  },
  request_proposals: {
    outcome: 'proposed',
    proposals: [{ proposal_id: 'acme:plan', name: 'Spring', description: 'Front pages in spring' }],
  },
  refine_proposals: { results: [{ proposal_id: 'acme:plan', outcome: 'finalized' }] },
  decline_proposals: { results: [{ proposal_id: 'acme:plan', outcome: 'unable' }] },
  buy_products: bought,
  accept_proposal: bought,
  sync_agent_notification_configs: {
    status: 'completed',
    action: 'updated',
    notification_configs: [
      {
        subscriber_id: 'desk',
        url: 'https://agent.example/news',
        event_types: ['capabilities.changed'],
        active: true,
      },
    ],
  },
  control_media_buy: {
    status: 'completed',
    media_buy_id: 'mb_311e5ca0-845f-4765',
    media_buy_status: 'paused',
    revision: 2,
  },
};

/** The example of a task's answer. */
export const exampleOf = (task: string): JsonObject | undefined => examples[task];

/** The answer of a task, for every release: members that a release or a refusal lacks are absent. */
export function describedOutput(task: string): JsonObject {
  const { properties } = listedOutput(task) as { readonly properties: Readonly<Record<string, JsonObject>> };
  const members = Object.entries(properties).map(([name, schema]): [string, JsonObject] => {
    const known = insideOf[task]?.[name] ?? inside[name];
    if (known === undefined) return [name, schema];
    return [name, schema['type'] === 'array' ? { ...schema, items: known } : known];
  });
  return { type: 'object', properties: Object.fromEntries(members) };
}
