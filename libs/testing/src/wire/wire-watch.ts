import { appendFileSync } from 'node:fs';
import { messageFaults, type Message } from './judge-message.js';
import { publishedSchemas, schemasAreThere } from './published-schemas.js';
import { readExchange, type Address, type Asked, type Side } from './read-exchange.js';
import { storeForJudging } from './stored-lines.js';
import type { Exchange } from './wire-tap.js';

export interface WireVerdict {
  /** Each fault once, with the message it is in and how often it was seen. */
  readonly faults: readonly string[];
  /** Messages held against a published schema, counted by kind, task and form. */
  readonly held: ReadonlyMap<string, number>;
  /** Messages of which no schema is published, counted the same way. */
  readonly unpublished: ReadonlyMap<string, number>;
}

/** How a message is named in figures and faults: an answer about a task with the task's type, and all with their status. */
export function messageName({ kind, task, form, body }: Message): string {
  const { status, task_type: type, errors } = body;
  const of = task === 'get_task' && typeof type === 'string' ? `${task} of ${type}` : task;
  if (kind === 'request') return `${kind} ${of} ${form}`;
  const received = typeof status === 'string' ? status : Array.isArray(errors) ? 'failed' : 'completed';
  return `${kind} ${of} ${form} ${received}`;
}

/** Holds every message of ours in what went over the wire against the schemas of its form. */
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

/** Addresses are learned from all that was said before any webhook is read: one may come before its task's answer. */
function messagesIn(
  exchanges: readonly Exchange[],
  sideOf: (exchange: Exchange) => Side | undefined,
): readonly (readonly Message[])[] {
  const addresses: Address[] = [];
  const askedAt = (url: string, operationId: string | undefined): readonly Asked[] => {
    const there = addresses.filter((one) => one.url === url);
    const named = there.filter((one) => one.operationId === operationId);
    return named.length > 0 ? named : there;
  };
  // What a brand sealed for a seller goes on as it stands: those are the brand's words and none of ours.
  const sealed = new Set(exchanges.filter(({ path }) => path.startsWith('/relay/')).map(({ sent }) => sent));
  const received = exchanges
    .filter(({ sent }) => !sealed.has(sent))
    .map((exchange) => ({ exchange, side: sideOf(exchange) }));
  const ours = received.flatMap(({ exchange, side }) =>
    side === 'ours' ? [readExchange(exchange, side, askedAt)] : [],
  );
  addresses.push(...ours.flatMap((one) => one.addresses));
  const theirs = received.flatMap(({ exchange, side }) =>
    side === 'theirs' ? [readExchange(exchange, side, askedAt)] : [],
  );
  return [...ours, ...theirs].flatMap(({ messages }) => messages);
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

const shortened = ({ body }: Message): string => JSON.stringify(body).slice(0, 400);

/**
 * The faults of everything that a suite said over the wire. Without the published schemas the exchanges are stored in the
 * folder that `SWITCHYARD_WIRE_FOLDER` names, and `stored-wire.spec.ts` judges them where the schemas are.
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

/** Adds what was held in a suite to the file that `SWITCHYARD_WIRE_LOG` names, one line each, for who wants to read it. */
function tellWireVerdict({ held, unpublished, faults }: WireVerdict, suite: string): void {
  const log = process.env['SWITCHYARD_WIRE_LOG'];
  if (log === undefined) return;
  const received = { suite, held: [...held], unpublished: [...unpublished], faults };
  appendFileSync(log, `${JSON.stringify(received)}\n`);
}
