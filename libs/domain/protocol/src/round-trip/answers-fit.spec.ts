import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { ErrorObject } from 'ajv';
import { taskTable, type AnyTaskSpec } from '../task-table.js';
import { messagesOf } from './spec-message.js';
import { whyNeverMade } from './spec-never-made.js';
import { publishedTasks } from './spec-published.js';
import { folders, releases, schemasOf, type Release, type Schemas } from './spec-schemas.js';

/*
 * What sellers of one release say, with every member that its schemas name, is written for buyers of another: each
 * answer is one of that release, whatever its seller's own release allows that the other does not.
 */

type Row = keyof typeof taskTable;

const rows: readonly Row[] = [
  'getProducts',
  'getSignals',
  'activateSignal',
  'createMediaBuy',
  'updateMediaBuy',
  'getMediaBuys',
  'getMediaBuyDelivery',
  'getTask',
  'listTasks',
  'getCapabilities',
  'listAccounts',
  'syncAccounts',
  'syncCreatives',
  'listCreatives',
  'listCreativeFormats',
  'providePerformanceFeedback',
  'reportUsage',
];
/** Of these 2.5 has no schema. */
const rowsOf3x: readonly Row[] = [
  'getMediaBuys',
  'getCapabilities',
  'listAccounts',
  'syncAccounts',
  'reportUsage',
];
const root = fileURLToPath(new URL('../../../../../../shared/schemas', import.meta.url));
const areSchemasThere = existsSync(join(root, folders['3.1']));
/** More messages of one kind show nothing new. */
const mostHeld = 40;
/** Making messages is work: how long it takes says nothing. */
const slowestMs = 900_000;
const known = new Map<Release, Schemas>();
const messages = new Map<string, readonly JsonObject[]>();

function schemas(release: Release): Schemas {
  const before = known.get(release);
  if (before !== undefined) return before;
  const files = new Map<string, JsonObject>();
  collect(folders[release], files);
  const read = schemasOf(release, files);
  known.set(release, read);
  return read;
}

function collect(folder: string, files: Map<string, JsonObject>): void {
  for (const name of readdirSync(join(root, folder))) {
    const path = `${folder}/${name}`;
    if (statSync(join(root, path)).isDirectory()) collect(path, files);
    else if (name.endsWith('.json'))
      files.set(path, JSON.parse(readFileSync(join(root, path), 'utf8')) as JsonObject);
  }
}

/** Some of what a release's sellers may say, made once. */
function said(release: Release, row: Row): readonly JsonObject[] {
  const name = `${release} ${row}`;
  const before = messages.get(name);
  if (before !== undefined) return before;
  const all = messagesOf(schemas(release), `${pathOf(release, row) ?? ''}-response`, 7, {
    isNeverMade: (at) => whyNeverMade(`${release} ${row} response`, at) !== undefined,
  }).messages;
  const step = Math.max(1, Math.ceil(all.length / mostHeld));
  const some = all.filter((_message, at) => at % step === 0);
  messages.set(name, some);
  return some;
}

function pathOf(release: Release, row: Row): string | undefined {
  return publishedTasks(release).find(([name]) => name === row)?.[1];
}

/** An agent that measures and does nothing else is none of 3.0, which demands one of its own protocols. */
function isOfNobody({ supported_protocols: protocols }: JsonObject, to: Release): boolean {
  return to === '3.0' && Array.isArray(protocols) && protocols.every((one) => one === 'measurement');
}

/**
 * What is wrong in a message of a release, without that kinds of assets of 2.5 overlap, where an image is a video and
 * a markup a text: what fits two of them fits.
 */
function faultsIn(errors: readonly ErrorObject[], to: Release): readonly ErrorObject[] {
  const isOverlap = ({ instancePath, keyword, params }: ErrorObject): boolean =>
    keyword === 'oneOf' && params['passingSchemas'] !== null && /\/assets\/[^/]+$/.test(instancePath);
  const twice = to === '2.5' ? errors.filter(isOverlap).map(({ instancePath }) => instancePath) : [];
  return errors.filter(
    ({ instancePath }) => !twice.some((path) => instancePath === path || instancePath.startsWith(`${path}/`)),
  );
}

/** The faults of what a release's messages become in another. An answer's `status` is the envelope's matter. */
function faultsOf(
  row: Row,
  from: Release,
  to: Release,
): { readonly held: number; readonly faults: string[] } {
  const spec: AnyTaskSpec = taskTable[row];
  const validate = schemas(to).validatorOf(`${pathOf(to, row) ?? ''}-response`);
  const faults = new Set<string>();
  let held = 0;
  for (const message of said(from, row)) {
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

const cells = rows.flatMap((row) =>
  releases.flatMap((from) =>
    releases
      .filter((to) => to !== from && pathOf(from, row) !== undefined && pathOf(to, row) !== undefined)
      .map((to) => ({ row, from, to })),
  ),
);

describe('an answer of one release', () => {
  it('is held to another, or it is said how many were not', () => {
    const skipped = areSchemasThere ? 0 : cells.length;
    if (skipped > 0) console.warn(`published schemas absent: ${skipped} ways between releases were not held`);
    expect(cells.length).toBe(rows.length * 6 - rowsOf3x.length * 4);
  });

  for (const { row, from, to } of areSchemasThere ? cells : [])
    it(
      `is one of ${to} where a buyer of that reads ${row} of a seller of ${from}`,
      () => {
        const { held, faults } = faultsOf(row, from, to);
        expect(faults).toEqual([]);
        expect(held).toBeGreaterThan(0);
      },
      slowestMs,
    );
});

describe('a message that fits no release', () => {
  it(
    'is seen: a price of a model that 2.5 does not have fails its schema',
    () => {
      if (!areSchemasThere) return;
      const validate = schemas('2.5').validatorOf(`${pathOf('2.5', 'getProducts') ?? ''}-response`);
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
