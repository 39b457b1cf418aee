import { appendFileSync } from 'node:fs';
import { messageFaults, type Message } from './judge-message.js';
import { publishedSchemas, schemasAreThere } from './published-schemas.js';
import { readExchange, type Address, type RequestedTask, type Side } from './read-exchange.js';
import { storeForJudging } from './stored-lines.js';
import type { Exchange } from './wire-tap.js';

interface WireVerdict {
  /** Each fault once, with its message and its count. */
  readonly faults: readonly string[];
  /** Messages checked against a published schema, counted by kind, task and form. */
  readonly held: ReadonlyMap<string, number>;
  /** Messages without a published schema, counted the same way. */
  readonly unpublished: ReadonlyMap<string, number>;
}

/** The name of a message in counts and faults, with its status: an answer about a task has the task's type. */
function messageName({ kind, task, form, body }: Message): string {
  const { status, task_type: type, errors } = body;
  const of = task === 'get_task' && typeof type === 'string' ? `${task} of ${type}` : task;
  if (kind === 'request') return `${kind} ${of} ${form}`;
  const received = typeof status === 'string' ? status : Array.isArray(errors) ? 'failed' : 'completed';
  return `${kind} ${of} ${form} ${received}`;
}

/** Checks all our messages in the recorded exchanges against the schemas of their form. */
export function judgeWire(
  exchanges: readonly Exchange[],
  sideOf: (exchange: Exchange) => Side | undefined,
): WireVerdict {
  const received = new Map<string, { readonly first: string; times: number }>();
  const held = new Map<string, number>();
  const unpublished = new Map<string, number>();
  const schemas = schemasAreThere ? publishedSchemas() : undefined;
  for (const alternatives of messagesIn(exchanges, sideOf)) {
    const verdicts = alternatives.map((message) => ({
      message,
      faults: schemas === undefined ? undefined : messageFaults(schemas, message),
    }));
    const best = verdicts.find(({ faults }) => (faults ?? []).length === 0) ?? verdicts[0];
    if (best === undefined) continue;
    const name = messageName(best.message);
    count(best.faults === undefined ? unpublished : held, name);
    for (const fault of best.faults ?? []) {
      const what = `${name}: ${fault.replace(/\/\d+(?=[/ ])/g, '/#')}`;
      const known = received.get(what);
      if (known === undefined) received.set(what, { first: shortened(best.message), times: 1 });
      else known.times += 1;
    }
  }
  const faults = [...received].map(
    ([name, { first, times }]) => `${name} (${String(times)} times, first ${first})`,
  );
  return { faults, held, unpublished };
}

/** Addresses are collected before any webhook is read: a webhook may come before its task's answer. */
function messagesIn(
  exchanges: readonly Exchange[],
  sideOf: (exchange: Exchange) => Side | undefined,
): readonly (readonly Message[])[] {
  const addresses: Address[] = [];
  const tasksAt = (url: string, operationId: string | undefined): readonly RequestedTask[] => {
    const there = addresses.filter((address) => address.url === url);
    const named = there.filter((address) => address.operationId === operationId);
    return named.length > 0 ? named : there;
  };
  // A brand's sealed request is forwarded unchanged: it is the brand's message, not ours.
  const sealed = new Set(exchanges.filter(({ path }) => path.startsWith('/relay/')).map(({ sent }) => sent));
  const received = exchanges
    .filter(({ sent }) => !sealed.has(sent))
    .map((exchange) => ({ exchange, side: sideOf(exchange) }));
  const ours = received.flatMap(({ exchange, side }) =>
    side === 'ours' ? [readExchange(exchange, side, tasksAt)] : [],
  );
  addresses.push(...ours.flatMap((message) => message.addresses));
  const theirs = received.flatMap(({ exchange, side }) =>
    side === 'theirs' ? [readExchange(exchange, side, tasksAt)] : [],
  );
  return [...ours, ...theirs].flatMap(({ messages }) => messages);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const shortened = ({ body }: Message): string => JSON.stringify(body).slice(0, 400);

/**
 * The faults of all exchanges of a suite. Without the published schemas the exchanges are stored in the folder
 * `SWITCHYARD_WIRE_FOLDER`, and `stored-wire.spec.ts` checks them where the schemas are present.
 */
export function judgeSuite(
  exchanges: readonly Exchange[],
  sideOf: (exchange: Exchange) => Side | undefined,
  suite: string,
): readonly string[] {
  if (!schemasAreThere)
    storeForJudging(
      'exchanges',
      exchanges.map((exchange) => ({ ...exchange, side: sideOf(exchange), suite })),
    );
  const verdict = judgeWire(exchanges, sideOf);
  tellWireVerdict(verdict, suite);
  return verdict.faults;
}

/** Adds the results of a suite to the file `SWITCHYARD_WIRE_LOG`, one line each. */
function tellWireVerdict({ held, unpublished, faults }: WireVerdict, suite: string): void {
  const log = process.env['SWITCHYARD_WIRE_LOG'];
  if (log === undefined) return;
  const received = { suite, held: [...held], unpublished: [...unpublished], faults };
  appendFileSync(log, `${JSON.stringify(received)}\n`);
}
