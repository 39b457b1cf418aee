import { describe, expect, it } from '@jest/globals';
import { isJsonObject, must, type JsonObject, type JsonValue } from '@switchyard/values';
import fc from 'fast-check';
import { answerLimits, type AnswerLimit } from '../losses/answer-limits.js';
import { lostInAnswer } from '../losses/lost-in-answer.js';
import { taskTable, tasks, type AnyTaskSpec } from '../task-table.js';
import type { Form } from '../versions/wire-profile.js';
import { answersOf } from './testkit/answers.js';
import { beside } from './testkit/beside.js';

/*
 * The content of an answer arrives: written in any form and read again, and read from a seller of any form, written in
 * any other and read again. Each loss is reported by a finding that the table of limits contains.
 */

type Row = keyof typeof taskTable;
const rows = Object.keys(taskTable) as Row[];
const forms: readonly Form[] = ['service', '2.5', '3.0', '3.1'];
const sources = ['us', ...forms] as const;

/**
 * Members that are known without a message: the seller's URL of a product, and the page and fields that the caller
 * requested.
 */
const ofTheHouse: ReadonlySet<string> = new Set([
  'getProducts products[].agentUrl',
  'getSignals signals[].agentUrl',
  'listCreatives fields',
  'listCreatives limit',
  'listCreatives offset',
  'listTasks limit',
  'listTasks offset',
  // The older forms page by number, with `next_offset`.
  'listTasks cursor',
  // Rows have their own currencies, and no total is made of them.
  'getMediaBuyDelivery isMixed',
]);

/** The message as received. */
const sent = (payload: unknown): JsonObject => JSON.parse(JSON.stringify(payload)) as JsonObject;

/** All values by path, without empty ones. */
function meaning(value: unknown): ReadonlyMap<string, string> {
  const flat = new Map<string, string>();
  const walk = (inner: JsonValue, path: string): void => {
    if (path.endsWith('original')) return;
    if (Array.isArray(inner) && inner.every(isJsonObject))
      for (const [at, item] of inner.entries()) walk(item, `${path}[${at}]`);
    else if (isJsonObject(inner))
      for (const [name, item] of Object.entries(inner))
        walk(item ?? null, path === '' ? name : `${path}.${name}`);
    else flat.set(path, JSON.stringify(inner));
  };
  walk(sent(value), '');
  return flat;
}

const withoutPlaces = (path: string): string => path.replaceAll(/\[\d+\]/g, '[]');

interface Loss {
  readonly path: string;
  readonly was: string;
  /** The limit in the table that reports it, and the reported name. */
  readonly limit?: AnswerLimit;
  readonly told?: string;
}

/** The name under which a limit reports a place; undefined if it is another limit's. */
function reportedOf({ at, as }: AnswerLimit, place: string): string | undefined {
  if (!at.endsWith('.*'))
    return place === at || place.startsWith(`${at}.`) || place.startsWith(`${at}[`) ? as : undefined;
  if (!place.startsWith(at.slice(0, -1))) return undefined;
  const [name = ''] = place.slice(at.length - 1).split(/[.[]/);
  return `${as.slice(0, -1)}${name}`;
}

/** Members of an answer that a form loses, each with its limit in the table if there is one. */
function lossesOf(row: Row, answer: object, form: Form): readonly Loss[] {
  const spec: AnyTaskSpec = taskTable[row];
  const profile = { dialect: 'adcp', form } as const;
  const written = sent(spec.projectAnswer(answer, profile));
  const again = must(spec.readAnswer(written, profile));
  const read = meaning(again.answer);
  const seen = meaning(beside[row]?.(written, form) ?? {});
  const received = new Set<string | undefined>(
    lostInAnswer(spec.name, answer, written, form).map(({ field }) => field),
  );
  const limits = (answerLimits[spec.name] ?? []).filter((limit) => limit.forms.includes(form));
  return [...meaning(answer)].flatMap(([path, was]) => {
    if (read.get(path) === was || seen.get(path) === was) return [];
    const place = withoutPlaces(path);
    if (ofTheHouse.has(`${row} ${place}`)) return [];
    const limit = limits.find((one) => received.has(reportedOf(one, place) ?? 'nothing'));
    const name = limit === undefined ? undefined : reportedOf(limit, place);
    return [{ path, was, ...(limit === undefined || name === undefined ? {} : { limit, told: name }) }];
  });
}

/** The answer in the internal shape, after a seller of that form has sent it. */
function writtenBy(row: Row, answer: object, form: Form): object {
  const spec: AnyTaskSpec = taskTable[row];
  const profile = { dialect: 'adcp', form } as const;
  const arrived = must(spec.readAnswer(sent(spec.projectAnswer(answer, profile)), profile));
  return arrived.answer as object;
}

/** In loops of thousands: an expectation takes a tenth of a millisecond also where it holds. */
function expectNone(found: readonly unknown[]): void {
  if (found.length > 0) expect(found).toEqual([]);
}

const from = (row: Row, source: (typeof sources)[number], answer: object): object =>
  source === 'us' ? answer : writtenBy(row, answer, source);

describe.each(rows)('the answer of %s', (row) => {
  it.each(sources.flatMap((source) => forms.map((form) => ({ source, form }))))(
    'from $source arrives in the $form form, or its loss is reported',
    ({ source, form }) => {
      fc.assert(
        fc.property(answersOf(row), (answer) => {
          const untold = lossesOf(row, from(row, source, answer), form).filter(
            ({ told }) => told === undefined,
          );
          expectNone(untold);
        }),
        { numRuns: 60 },
      );
    },
  );
});

describe.each(rows)('a reported loss of %s', (row) => {
  it.each(forms)('is a real loss in the %s form', (form) => {
    const spec: AnyTaskSpec = taskTable[row];
    fc.assert(
      fc.property(answersOf(row), (answer) => {
        const written = sent(spec.projectAnswer(answer, { dialect: 'adcp', form }));
        const received = lostInAnswer(spec.name, answer, written, form).map(({ field }) => field);
        const losses = lossesOf(row, answer, form);
        expectNone(received.filter((field) => !losses.some((loss) => loss.told === field)));
      }),
      { numRuns: 60 },
    );
  });
});

describe('the table of losses', () => {
  it('contains only existing tasks', () => {
    expect(Object.keys(answerLimits).sort()).toEqual(tasks.map(({ name }) => name).sort());
  });

  it.each(rows)('contains no member of %s that arrives', (row) => {
    const rowsOfTable = answerLimits[taskTable[row].name] ?? [];
    const unneeded = new Set(
      rowsOfTable.flatMap((limit) => limit.forms.map((form) => `${form} ${limit.at}`)),
    );
    // A form of which each row was needed once is not written again.
    for (const answer of fc.sample(answersOf(row), { numRuns: 400, seed: 11 }))
      for (const form of forms.filter((each) => [...unneeded].some((one) => one.startsWith(`${each} `))))
        for (const { limit } of lossesOf(row, answer, form))
          if (limit !== undefined) unneeded.delete(`${form} ${limit.at}`);
    expect([...unneeded]).toEqual([]);
  });
});
