import type { Message, PublishedJudge } from '@switchyard/testing';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { recordingSellers } from './recording-sellers.js';
import { spokenIn, type Cell, type Passage } from './stage.js';

/** Checks the sent message, each seller's message and the answer against the schemas of their forms. */
export function judgeBySchemas(judge: PublishedJudge, cell: Cell, passage: Passage): readonly string[] {
  const { task } = cell;
  const form = spokenIn(cell);
  const faultsOf = (what: string, message: Message): readonly string[] => {
    const where = `${what}, ${Object.values(cell).join(' ')}`;
    return judge.faultsOf({ kind: 'message', where, message }).map((fault) => `${what}: ${fault}`);
  };
  return [
    ...faultsOf('sent', { kind: 'request', task, form, body: passage.sent }),
    ...faultsOf('answer', { kind: 'answer', task, form, body: passage.answer }),
    ...passage.received.flatMap(({ seller, tool, args }) => {
      const of = tool.endsWith('_capabilities') ? 'get_ads_capabilities' : tool;
      const seen = recordingSellers.find(({ slug }) => slug === seller);
      return seen === undefined
        ? []
        : faultsOf(`received by ${seller}`, { kind: 'request', task: of, form: seen.form, body: args });
    }),
  ];
}

/** Returns the passage with words for values that differ from run to run: ids, times, keys and ports. */
export function steady(passage: Passage): JsonValue {
  const received = [...ours(passage.received)]
    .sort((left, right) => (`${left.seller} ${left.tool}` < `${right.seller} ${right.tool}` ? -1 : 1))
    .map(({ seller, tool, args }) => ({ seller, tool, args: calm(args) }));
  return { sent: calm(passage.sent), received, answer: calm(passage.answer) };
}

/** Returns the members beside the arguments, by seller. They are separate, because only they depend on the wire. */
export function steadyBeside(passage: Passage): JsonValue {
  const reported = ours(passage.received).flatMap(({ seller, beside }) =>
    beside === undefined ? [] : [[seller, calm(beside)] as const],
  );
  return Object.fromEntries(reported.sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Removes requests of scheduled jobs: they lack the context that all requests of the suite have. */
function ours(received: Passage['received']): Passage['received'] {
  const isTraced = (args: JsonObject): boolean =>
    isJsonObject(args['context']) && args['context']['trace'] === 'trace-1';
  const traced = new Set(received.filter(({ args }) => isTraced(args)).map(({ tool }) => tool));
  return received.filter(({ tool, args }) => !traced.has(tool) || isTraced(args));
}

/** A time this close to now belongs to the run; any other time was requested, and is compared exactly. */
const aroundNowMs = 3_600_000;
/** An offer that its seller gives no end is held for a day from now. */
const dayMs = 24 * aroundNowMs;
/** Values that differ from run to run. The digest of terms does, because these have an end. */
const secretNames = new Set(['cursor', 'idempotency_key', 'token', 'credentials', 'terms_digest']);

function timeWord(time: string): string {
  const ahead = Date.parse(time) - Date.now();
  if (Math.abs(ahead) < aroundNowMs) return '<now>';
  return Math.abs(ahead - dayMs) < aroundNowMs ? '<in a day>' : time;
}

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
    // The order of a creative's packages has no meaning.
    return name === 'assigned_packages'
      ? items.sort((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1))
      : items;
  }
  if (isJsonObject(value)) {
    const names = Object.keys(value).sort();
    // The counts in a list of tasks depend on the number of earlier cells.
    const isCounted = 'query_summary' in value && 'tasks' in value;
    // Where a task was asked for by A2A it has the context of there.
    const kept = 'task_type' in value ? names.filter((key) => key !== 'context_id') : names;
    return Object.fromEntries(
      kept.map((key) => [
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
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, timeWord);
}
