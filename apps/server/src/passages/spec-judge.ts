import type { Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { recordingSellers } from './spec-recording-sellers.js';
import type { PublishedSchemas } from './spec-schemas.js';
import type { Cell, Passage } from './spec-stage.js';

/** Where a release publishes the schemas of a task: `REQUEST` and `RESPONSE` stand at the end of the name. */
export const schemaPaths: Readonly<Record<string, readonly string[]>> = {
  get_ads_capabilities: ['protocol/get-adcp-capabilities'],
  get_products: ['media-buy/get-products'],
  list_creative_formats: ['creative/list-creative-formats', 'media-buy/list-creative-formats'],
  get_signals: ['signals/get-signals'],
  activate_signal: ['signals/activate-signal'],
  create_media_buy: ['media-buy/create-media-buy'],
  update_media_buy: ['media-buy/update-media-buy'],
  get_media_buys: ['media-buy/get-media-buys'],
  get_media_buy_delivery: ['media-buy/get-media-buy-delivery'],
  sync_creatives: ['creative/sync-creatives', 'media-buy/sync-creatives'],
  list_creatives: ['creative/list-creatives', 'media-buy/list-creatives'],
  get_task: ['core/tasks-get'],
  list_tasks: ['core/tasks-list'],
  list_authorized_properties: ['media-buy/list-authorized-properties'],
  provide_performance_feedback: ['media-buy/provide-performance-feedback'],
  list_accounts: ['account/list-accounts'],
  sync_accounts: ['account/sync-accounts'],
  report_usage: ['account/report-usage'],
};

/** Where what we write does not fit a published schema, and why it is right all the same. Anything else fails a cell. */
export const deviations: readonly {
  readonly forms: readonly Form[];
  readonly fault: RegExp;
  readonly why: string;
}[] = [
  {
    forms: ['2.5', '3.0', '3.1'],
    fault: /^\/reporting_webhook must have required property 'authentication'/,
    why: 'Reports are asked for in the signed profile: the `authentication` block, which the schema wants, would ask for an older one.',
  },
  {
    forms: ['2.5'],
    fault: /^\/push_notification_config must have required property 'authentication'/,
    why: 'The same, for task webhooks of 2.5.',
  },
  {
    forms: ['2.5'],
    fault: /\/assets\/[^/ ]+ must match exactly one schema in oneOf \{"passingSchemas":\[\d+,\d+\]\}$/,
    why: 'The asset schemas of 2.5 overlap: an image is a video there, and a markup a text.',
  },
];

export interface SchemaVerdict {
  readonly faults: readonly string[];
  /** Messages held against a published schema. */
  readonly held: number;
}

/** Answers under way of which no release publishes a shape: they are held against the envelope of all answers alone. */
export const unpublishedArms: readonly {
  readonly task: string;
  readonly forms: readonly Form[];
  readonly why: string;
}[] = [
  {
    task: 'activate_signal',
    forms: ['2.5', '3.0', '3.1'],
    why: 'No release has a shape for an activation that is under way; the service description lets it be one.',
  },
  {
    task: 'get_signals',
    forms: ['2.5', '3.0'],
    why: 'Before 3.1 no release has a shape for a search for signals that is under way.',
  },
];

type End = 'request' | 'response' | 'async-response-submitted';

/** Holds what was sent, what every seller got and the answer against the schemas of their forms. */
export function judgeBySchemas(
  schemas: PublishedSchemas,
  { task, form }: Pick<Cell, 'task' | 'form'>,
  passage: Passage,
): SchemaVerdict {
  const faults: string[] = [];
  let held = 0;
  const faultsAs = (of: string, as: Form, end: End, message: unknown): readonly string[] | undefined =>
    (schemaPaths[of] ?? [])
      .map((path) => schemas.faults(as, `${path}-${end}.json`, message))
      .find((verdict) => verdict !== undefined);
  const hold = (what: string, of: string, as: Form, end: 'request' | 'response', message: unknown): void => {
    const spelled = inPublishedDialect(message);
    const told =
      end === 'response' && isUnderWay(spelled)
        ? underWayFaults(schemas, of, as, spelled, faultsAs)
        : faultsAs(of, as, end, spelled);
    if (told === undefined) return;
    held += 1;
    const known = deviations.filter(({ forms }) => forms.includes(as)).map(({ fault }) => fault);
    const unknown = told.filter((fault) => !known.some((pattern) => pattern.test(fault)));
    faults.push(...unknown.map((fault) => `${what}: ${fault}`));
  };
  hold('sent', task, form, 'request', passage.sent);
  hold('answer', task, form, 'response', passage.answer);
  for (const { seller, tool, args } of passage.received) {
    const of = tool.endsWith('_capabilities') ? 'get_ads_capabilities' : tool;
    const seen = recordingSellers.find(({ slug }) => slug === seller);
    if (seen !== undefined) hold(`received by ${seller}`, of, seen.form, 'request', args);
  }
  return { faults, held };
}

const isUnderWay = (message: JsonValue): boolean =>
  isJsonObject(message) && message['status'] === 'submitted';

/** An answer that says `submitted`: the arm of the response that is for it, or the shape published beside, in the envelope. */
function underWayFaults(
  schemas: PublishedSchemas,
  of: string,
  as: Form,
  message: JsonValue,
  faultsAs: (of: string, as: Form, end: End, message: unknown) => readonly string[] | undefined,
): readonly string[] | undefined {
  const asResponse = faultsAs(of, as, 'response', message);
  if (asResponse === undefined || asResponse.length === 0) return asResponse;
  const asArm = faultsAs(of, as, 'async-response-submitted', message);
  if (asArm === undefined && !unpublishedArms.some(({ task, forms }) => task === of && forms.includes(as)))
    return asResponse;
  return [...(asArm ?? []), ...envelopeFaults(schemas, as, message)];
}

/** The envelope of 2.5 and 3.0 wraps the payload where the wire has it flat beside: that one member is not asked for. */
export function envelopeFaults(schemas: PublishedSchemas, as: Form, message: unknown): readonly string[] {
  const told = schemas.faults(as, 'core/protocol-envelope.json', message) ?? [];
  return told.filter((fault) => !fault.includes("required property 'payload'"));
}

/** The published schemas spell the names of the `adcp` dialect alone; the other differs by this segment and no more. */
export function inPublishedDialect(message: unknown): JsonValue {
  const text = JSON.stringify(message);
  return JSON.parse(
    text.replace(/"ads(_version|_major_version|_use)?":/g, '"adcp$1":').replace(/"ads\//g, '"adcp/'),
  ) as JsonValue;
}

/** The passage without what differs from run to run: ids, times, keys and ports become words. */
export function steady(passage: Passage): JsonValue {
  const received = [...ours(passage.received)]
    .sort((left, right) => (`${left.seller} ${left.tool}` < `${right.seller} ${right.tool}` ? -1 : 1))
    .map(({ seller, tool, args }) => ({ seller, tool, args: calm(args) }));
  return { sent: calm(passage.sent), received, answer: calm(passage.answer) };
}

/** What stood beside the arguments, by seller: apart, since the arguments are the same on every wire. */
export function steadyBeside(passage: Passage): JsonValue {
  const told = ours(passage.received).flatMap(({ seller, beside }) =>
    beside === undefined ? [] : [[seller, calm(beside)] as const],
  );
  return Object.fromEntries(told.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Without what chores ask of their own accord meanwhile: it lacks the context that every request here has. */
function ours(received: Passage['received']): Passage['received'] {
  const isTraced = (args: JsonObject): boolean =>
    isJsonObject(args['context']) && args['context']['trace'] === 'trace-1';
  const traced = new Set(received.filter(({ args }) => isTraced(args)).map(({ tool }) => tool));
  return received.filter(({ tool, args }) => !traced.has(tool) || isTraced(args));
}

/** A time as near as this is one of the run; any other was asked for, and has to stand as it is. */
const aroundNowMs = 3_600_000;
const secretNames = new Set(['cursor', 'idempotency_key', 'token', 'credentials']);

function calmCounts(value: JsonValue, name = ''): JsonValue {
  if (!isJsonObject(value)) return typeof value === 'number' ? '<count>' : calm(value, name);
  return Object.fromEntries(
    Object.entries(value).map(([inner, held]) => [
      inner,
      inner.endsWith('_breakdown') ? '<counts>' : calmCounts(held, inner),
    ]),
  );
}

function calm(value: JsonValue, name = ''): JsonValue {
  if (Array.isArray(value)) {
    const items = value.map((item) => calm(item, name));
    // The order of a creative's packages means nothing.
    return name === 'assigned_packages'
      ? items.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
      : items;
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    // A list of tasks tells how many there are of each kind, which is how many cells came before.
    const isCounted = 'query_summary' in value && 'tasks' in value;
    return Object.fromEntries(
      names.map((key) => [
        key,
        isCounted && key !== 'tasks' ? calmCounts(value[key] ?? null, key) : calm(value[key] ?? null, key),
      ]),
    );
  }
  if (name === 'elapsed_ms' || name === 'cache_age_seconds') return 0;
  if (typeof value !== 'string') return value;
  if (secretNames.has(name)) return `<${name}>`;
  return value
    .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<uuid>')
    .replace(/\b(mb|task|whk|whr|op|leg)_[A-Za-z0-9_-]{8,}/g, '<$1>')
    .replace(/their_(buy|task)(_of)?_\d+/g, 'their_$1')
    .replace(/^[A-Za-z0-9_-]{43}$/, '<derived>')
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replace(/\/webhooks\/[A-Za-z0-9_-]+/g, '/webhooks/<registration>')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) =>
      Math.abs(Date.parse(time) - Date.now()) < aroundNowMs ? '<now>' : time,
    );
}
