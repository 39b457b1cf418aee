import { describe, expect, it } from '@jest/globals';
import { releases, schemasAreThere, schemasOf, type Release } from '@switchyard/testing';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { ErrorObject } from 'ajv';
import { taskTable, type AnyTaskSpec } from '../task-table.js';
import { projectError } from '../errors/project-errors.js';
import { readErrors } from '../errors/read-errors.js';
import type { Form } from '../versions/wire-profile.js';
import { withoutOverlaps } from './testkit/faults.js';
import { messagesOf } from './testkit/message.js';
import { whyNeverMade } from './testkit/never-made.js';
import { publishedTasks } from './testkit/published.js';

/*
 * Sellers' answers, with every member that the schemas of a release name, are written for buyers of each release. Each
 * result must conform to that release, even if the seller's form allows more.
 */

type Row = keyof typeof taskTable;

const rows = Object.keys(taskTable) as Row[];
/** Answers that no two releases share, and why. */
const heldNowhere: Readonly<Partial<Record<Row, string>>> = {
  cancelTask: 'No release has a schema for it.',
  listAuthorizedProperties: '2.5 alone has it.',
};
/** Generating messages takes long; the duration is not part of the test. */
const slowestMs = 900_000;
const messages = new Map<string, readonly JsonObject[]>();

/** Answers that sellers of a release may send, with every member in its schemas, generated once. */
function said(release: Release, row: Row): readonly JsonObject[] {
  const name = `${release} ${row}`;
  const before = messages.get(name);
  if (before !== undefined) return before;
  const all = messagesOf(schemasOf(release), `${pathOf(release, row) ?? ''}-response`, 7, {
    isNeverMade: (at) => whyNeverMade(`${release} ${row} response`, at) !== undefined,
  }).messages;
  messages.set(name, all);
  return all;
}

function pathOf(release: Release, row: Row): string | undefined {
  return publishedTasks(release).find(([name]) => name === row)?.[1];
}

/** 3.0 cannot describe an agent that only measures: it requires one of its own protocols. */
function isOfNobody({ supported_protocols: protocols }: JsonObject, to: Release): boolean {
  return (
    to === '3.0' && Array.isArray(protocols) && protocols.every((protocol) => protocol === 'measurement')
  );
}

/**
 * Returns the faults of a message, except two where the schemas contradict themselves: asset kinds of 2.5 overlap,
 * because an image is also a video and a markup a text; and 2.5 and 3.0 have shapes for a running product search but no
 * such task kind.
 */
function faultsIn(errors: readonly ErrorObject[], to: Release): readonly ErrorObject[] {
  const isSearch = ({ instancePath, keyword, data }: ErrorObject): boolean =>
    to !== '3.1' && keyword === 'enum' && instancePath.endsWith('/task_type') && data === 'get_products';
  return withoutOverlaps(errors, to).filter((error) => !isSearch(error));
}

/** The `service` form has no published schemas: its messages are those of other forms, converted. */
function writtenIn(row: Row, from: Form): readonly JsonObject[] {
  if (from !== 'service') return said(from, row);
  const spec: AnyTaskSpec = taskTable[row];
  return releases.flatMap((release) =>
    (pathOf(release, row) === undefined ? [] : said(release, row)).flatMap((message) => {
      const read = spec.readAnswer(message, { dialect: 'adcp', form: release }, new Map());
      if (!read.ok) return [];
      const received = spec.projectAnswer(read.value.answer as object, { dialect: 'ads', form: from });
      return [JSON.parse(JSON.stringify(received)) as JsonObject];
    }),
  );
}

/** The faults of messages of one form, converted to a release. The envelope writes an answer's `status`. */
function faultsOf(row: Row, from: Form, to: Release): { readonly held: number; readonly faults: string[] } {
  const spec: AnyTaskSpec = taskTable[row];
  const validate = schemasOf(to).validatorOf(`${pathOf(to, row) ?? ''}-response`);
  const faults = new Set<string>();
  let held = 0;
  for (const message of writtenIn(row, from)) {
    const read = spec.readAnswer(message, { dialect: 'adcp', form: from }, new Map());
    if (!read.ok || isOfNobody(message, to)) continue;
    const payload = spec.projectAnswer(read.value.answer as object, { dialect: 'adcp', form: to });
    const written = JSON.parse(JSON.stringify({ status: 'completed', ...payload })) as JsonObject;
    held += 1;
    if (!validate(written))
      for (const { instancePath, message: fault = '', params } of faultsIn(validate.errors ?? [], to))
        faults.add(`${instancePath.replaceAll(/\d+/g, '#')} ${fault} ${JSON.stringify(params).slice(0, 90)}`);
  }
  return { held, faults: [...faults] };
}

/** The forms that have answers of a task. */
function sourcesOf(row: Row): readonly Form[] {
  const speaking = releases.filter((release) => pathOf(release, row) !== undefined);
  return row in heldNowhere ? speaking : ['service', ...speaking];
}

const cells = rows.flatMap((row) =>
  sourcesOf(row).flatMap((from) =>
    releases.filter((to) => pathOf(to, row) !== undefined).map((to) => ({ row, from, to })),
  ),
);

describe('an answer of one form', () => {
  it('is checked against each release, or the number of unchecked ones is printed', () => {
    const skipped = schemasAreThere ? 0 : cells.length;
    if (skipped > 0) console.warn(`published schemas absent: ${skipped} ways between forms were not held`);
    const between = cells.filter(({ from, to }) => from !== 'service' && from !== to).map(({ row }) => row);
    expect(rows.filter((row) => !between.includes(row)).sort()).toEqual(Object.keys(heldNowhere).sort());
  });

  for (const { row, from, to } of schemasAreThere ? cells : [])
    it(
      `is valid in ${to} if a buyer of that reads ${row} of a seller of ${from}`,
      () => {
        const { held, faults } = faultsOf(row, from, to);
        expect(faults).toEqual([]);
        expect(held).toBeGreaterThan(0);
      },
      slowestMs,
    );
});

describe('an error of one release', () => {
  for (const { from, to } of releases.flatMap((release) =>
    releases.map((other) => ({ from: release, to: other })),
  ))
    it(
      `is valid in ${to} if a seller of ${from} sends it`,
      () => {
        if (!schemasAreThere) return;
        const validate = schemasOf(to).validatorOf('core/error');
        const { messages: errors } = messagesOf(schemasOf(from), 'core/error', 7);
        const written = readErrors({ errors: [...errors] }).map((error) => projectError(error, 'adcp', to));
        const faults = written.flatMap((error) => (validate(error) ? [] : (validate.errors ?? [])));
        expect(faults).toEqual([]);
        expect(written.length).toBeGreaterThan(0);
      },
      slowestMs,
    );
});

describe('a message that is valid in no release', () => {
  it(
    'is detected: a price of a model that 2.5 does not have fails its schema',
    () => {
      if (!schemasAreThere) return;
      const validate = schemasOf('2.5').validatorOf(`${pathOf('2.5', 'getProducts') ?? ''}-response`);
      const whole = said('2.5', 'getProducts').find(
        ({ products }) => Array.isArray(products) && products.some(isJsonObject),
      );
      const products = (whole?.['products'] ?? []) as readonly JsonObject[];
      const timed = {
        pricing_option_id: 'o',
        pricing_model: 'time',
        currency: 'USD',
        rate: 1,
        is_fixed: true,
      };
      expect(validate({ ...whole, products })).toBe(true);
      expect(validate({ ...whole, products: [{ ...products[0], pricing_options: [timed] }] })).toBe(false);
    },
    slowestMs,
  );
});
