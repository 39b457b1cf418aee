import { taskTable, type AnyTaskSpec } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** The number of levels in which the list of tools names members: the arguments, and their members. */
const namedLevels = 2;

/** Members of every task: described once in words, instead of a schema with each tool. */
const commonArguments: Readonly<Record<string, string>> = {
  account: 'Whose account: {"account_id"}, or {"brand": {"domain", "brand_id"}, "operator"}.',
  push_notification_config: 'Where to send news of the task: {"url", "operation_id", "token"}.',
};

/**
 * The arguments of a task in the list of tools: every member is named; limits of length and the deepest levels are
 * omitted, so that the list fits into a model's context. /openapi.json has the whole schema, which calls are checked
 * against.
 */
export function listedInput(schema: JsonObject): JsonObject {
  const { properties, ...rest } = listedSchema(schema, 0);
  if (!isJsonObject(properties)) return { type: 'object', ...rest };
  for (const [name, description] of Object.entries(commonArguments))
    if (name in properties) properties[name] = { type: 'object', description };
  return { type: 'object', ...rest, properties };
}

const lengths: ReadonlySet<string> = new Set(['$schema', 'minLength', 'maxLength', 'maxItems']);

function listedSchema(schema: JsonObject, level: number): JsonObject {
  const shown: JsonObject = {};
  for (const [name, value] of Object.entries(schema)) {
    if (lengths.has(name) || isUnbounded(name, value)) continue;
    if (name === 'properties' && isJsonObject(value)) Object.assign(shown, membersOf(value, schema, level));
    // Keywords about members are omitted where the members are not named.
    else if (level >= namedLevels && (name === 'required' || name === 'additionalProperties')) continue;
    else if (Array.isArray(value)) shown[name] = value.map((item) => nested(item, level));
    else shown[name] = nested(value, level);
  }
  return shown;
}

function nested(value: JsonValue, level: number): JsonValue {
  return isJsonObject(value) ? listedSchema(value, level) : value;
}

/** A keyword without effect: no limit, or a default of every schema. */
function isUnbounded(name: string, value: JsonValue): boolean {
  if (name === 'minimum' || name === 'maximum') return Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER;
  return ['items', 'additionalProperties'].includes(name) && isJsonObject(value) && isEmpty(value);
}

function membersOf(properties: JsonObject, { description }: JsonObject, level: number): JsonObject {
  const names = Object.keys(properties);
  if (names.length === 0) return {};
  if (level >= namedLevels) return { description: description ?? `Members: ${names.join(', ')}.` };
  const members = Object.entries(properties).map(([name, value]) => [name, nested(value, level + 1)]);
  return { properties: Object.fromEntries(members) as JsonObject };
}

function isEmpty(value: JsonObject): boolean {
  return Object.keys(value).length === 0;
}

type Kind = 'list' | 'texts' | 'object' | 'text' | 'number' | 'flag';

const kinds: Readonly<Record<Kind, JsonObject>> = {
  list: { type: 'array', items: { type: 'object' } },
  texts: { type: 'array', items: { type: 'string' } },
  object: { type: 'object' },
  text: { type: 'string' },
  number: { type: 'number' },
  flag: { type: 'boolean' },
};

/** Members of any task's answer, in every release. None is required, since errors have fewer. */
const everyAnswer = { status: 'text', message: 'text', task_id: 'text', errors: 'list' } as const;

const committed = { media_buy_id: 'text', accepted_proposal: 'object', purchase_bindings: 'list' } as const;

/** The main members of each task's answer, as in every release that has them. */
const answers: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  [taskTable.getCapabilities.name]: {
    supported_protocols: 'texts',
    ads: 'object',
    adcp: 'object',
    media_buy: 'object',
    signals: 'object',
  },
  [taskTable.getProducts.name]: { products: 'list', proposals: 'list', pagination: 'object' },
  [taskTable.getSignals.name]: { signals: 'list', pagination: 'object' },
  [taskTable.listCreativeFormats.name]: { formats: 'list', pagination: 'object' },
  [taskTable.syncCreatives.name]: { creatives: 'list' },
  [taskTable.listCreatives.name]: { creatives: 'list', pagination: 'object' },
  [taskTable.createMediaBuy.name]: { media_buy_id: 'text', packages: 'list' },
  [taskTable.updateMediaBuy.name]: { media_buy_id: 'text', affected_packages: 'list' },
  [taskTable.getMediaBuys.name]: { media_buys: 'list', pagination: 'object' },
  [taskTable.getMediaBuyDelivery.name]: {
    media_buy_deliveries: 'list',
    aggregated_totals: 'object',
    delivery: 'object',
  },
  [taskTable.activateSignal.name]: { deployments: 'list' },
  [taskTable.getTask.name]: { task_type: 'text', updated_at: 'text', result: 'object' },
  [taskTable.listTasks.name]: { tasks: 'list', pagination: 'object' },
  [taskTable.cancelTask.name]: { task_type: 'text', updated_at: 'text' },
  [taskTable.listAuthorizedProperties.name]: { publisher_domains: 'texts', properties: 'list' },
  [taskTable.listAccounts.name]: { accounts: 'list', pagination: 'object' },
  [taskTable.syncAccounts.name]: { accounts: 'list' },
  [taskTable.providePerformanceFeedback.name]: { success: 'flag' },
  [taskTable.reportUsage.name]: { accepted: 'number' },
  list_products: { outcome: 'text', products: 'list', feed_version: 'text', next_cursor: 'text' },
  request_proposals: { outcome: 'text', proposals: 'list', purchase_continuation: 'object' },
  refine_proposals: { results: 'list' },
  decline_proposals: { results: 'list' },
  buy_products: committed,
  accept_proposal: committed,
  control_media_buy: { media_buy_id: 'text', media_buy_status: 'text', revision: 'number' },
  sync_agent_notification_configs: { action: 'text', notification_configs: 'list' },
};

/** A loose schema of a task's answer: it fits every release and refusals, so that no client refuses an answer. */
export function listedOutput(task: string): JsonObject {
  const members = Object.entries({ ...everyAnswer, ...answers[task] });
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(([name, kind]) => [name, kinds[kind]])),
  };
}

/** The effects of a tool, as its annotations declare them. */
interface Hints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/**
 * Each change: whether it buys, cancels or removes something, and whether the same arguments sent twice act only once
 * in every release. A change without an idempotency key, in a release that has none, may be made twice.
 */
const changes: Readonly<Record<string, Pick<Hints, 'destructiveHint' | 'idempotentHint'>>> = {
  [taskTable.createMediaBuy.name]: { destructiveHint: true, idempotentHint: true },
  [taskTable.updateMediaBuy.name]: { destructiveHint: true, idempotentHint: false },
  [taskTable.syncCreatives.name]: { destructiveHint: true, idempotentHint: true },
  [taskTable.activateSignal.name]: { destructiveHint: true, idempotentHint: false },
  [taskTable.cancelTask.name]: { destructiveHint: true, idempotentHint: true },
  [taskTable.syncAccounts.name]: { destructiveHint: true, idempotentHint: true },
  [taskTable.providePerformanceFeedback.name]: { destructiveHint: false, idempotentHint: false },
  [taskTable.reportUsage.name]: { destructiveHint: false, idempotentHint: true },
  request_proposals: { destructiveHint: false, idempotentHint: true },
  refine_proposals: { destructiveHint: false, idempotentHint: true },
  decline_proposals: { destructiveHint: true, idempotentHint: true },
  buy_products: { destructiveHint: true, idempotentHint: true },
  accept_proposal: { destructiveHint: true, idempotentHint: true },
  control_media_buy: { destructiveHint: true, idempotentHint: true },
  sync_agent_notification_configs: { destructiveHint: true, idempotentHint: true },
};

/** A change that is not in the table may do anything. */
export function hintsOf({ name, kind, serves }: Pick<AnyTaskSpec, 'name' | 'kind' | 'serves'>): Hints {
  const unknown = { destructiveHint: true, idempotentHint: false };
  const read = { destructiveHint: false, idempotentHint: true };
  return {
    readOnlyHint: kind === 'read',
    ...(kind === 'read' ? read : (changes[name] ?? unknown)),
    openWorldHint: serves !== 'platform',
  };
}
