import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createScope, openTestStore, createTestDatabase, type TestDatabase } from '@switchyard/testing';
import { statementsOf } from '../core/list.js';
import { openStore } from '../core/open-store.js';
import { Prisma } from '../generated/client.js';
import { spendDimensions, spendStatement, type SpendDimension } from '../finance/spend-by.js';
import { lists } from '../lists.js';
import { growthAllowed, withoutOwnCondition, withoutOwnText } from './testkit/growth-allowed.js';
import {
  forgetColumns,
  largeOrganization,
  largePrincipal,
  largeValues,
  makePages,
  pretend,
} from './testkit/statistics.js';
import { modelStatements, type Models } from './testkit/model-calls.js';
import { Sources, type StoreStatement } from './testkit/source-texts.js';
import { storeStatements } from './testkit/statements.js';

interface Plan {
  readonly 'Node Type': string;
  readonly 'Total Cost': number;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly Plan[];
}

/** The tolerated difference of a cost that does not grow: the height of an index, and rounding. */
const flat = (before: number, after: number): boolean => after <= 2 * before + 20;

const sources = new Sources(new URL('..', import.meta.url).pathname);
const { statements, unread } = storeStatements(sources);
const calls = modelStatements(sources, columnsOfModels());
const pairs = [
  ['brand', 'month'],
  ['client', 'month'],
  ['seller', 'day'],
  ['package', 'month'],
] as const satisfies readonly (readonly SpendDimension[])[];
const ofSpend = [...spendDimensions.map((spendDimension) => [spendDimension]), ...pairs].flatMap(
  spendQuestions,
);
const ofLists = Object.entries(lists).flatMap(([name, declared]) =>
  statementsOf(declared).map(({ text }) => ({ at: name, text })),
);
const requested = [...[...statements, ...calls.statements, ...ofLists].flatMap(variantsOf), ...ofSpend];
// Suites of one process share what Prisma loads at its first use, which has to be outside a test.
const opened = await openTestStore(openStore);
await createScope(opened.store);
await opened.stop();
let database: TestDatabase;
let owner: pg.Client;
let app: pg.Client;

beforeAll(async () => {
  database = await createTestDatabase();
  [owner, app] = [new pg.Client(database.ownerUrl), new pg.Client(database.appUrl)];
  await Promise.all([owner.connect(), app.connect()]);
  await makePages(owner);
  await app.query(`select set_config('switchyard.organization_id', $1, false)`, [largeOrganization]);
});

afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await database.stop();
});

it('every statement of the store is read from its source, except listed ones', () => {
  expect(statements.length).toBeGreaterThan(250);
  expect([...new Set(unread.map((at) => at.split(':')[0]))].sort()).toEqual(
    Object.keys(withoutOwnText).sort(),
  );
});

it('every condition of a call of Prisma is read from its source, except listed ones', () => {
  expect(calls.statements.length).toBeGreaterThan(250);
  expect([...new Set(calls.unread.map((at) => at.split(':')[0]))].sort()).toEqual(
    Object.keys(withoutOwnCondition).sort(),
  );
});

it('no statement costs more with 100,000 buys of one organization than with 10,000, except listed ones', async () => {
  await pretend(owner, 10_000);
  const before = await plansOf(app);
  await pretend(owner, 100_000);
  const after = await plansOf(app);
  expect(after.size).toBeGreaterThan(250);
  expect(calls.statements.flatMap(variantsOf).filter(({ text }) => !after.has(text))).toEqual([]);
  const grown = requested.filter(({ text }) => {
    const [one, other] = [before.get(text), after.get(text)];
    return one && other && !flat(one['Total Cost'], other['Total Cost']);
  });
  const found = grown.filter(({ at, text }) => !isAllowed(at, text));
  expect(found.map(({ at, text }) => `${at}\n${scansOf(after.get(text)).map(received).join('\n')}`)).toEqual(
    [],
  );
  // A listed statement that does not grow is removed from the list.
  const idle = growthAllowed.filter(({ part }) => !grown.some(({ text }) => plain(text).includes(part)));
  expect(idle).toEqual([]);
});

it('spend of all buys costs at most in proportion to their number, by any dimension', async () => {
  const [few, many] = [10_000, 100_000];
  await pretend(owner, few);
  const before = await plansOf(app, ofSpend);
  await pretend(owner, many);
  const after = await plansOf(app, ofSpend);
  expect(after.size).toBe(new Set(ofSpend.map(({ text }) => text)).size);
  const found = ofSpend.filter(({ text }) => {
    const [one, other] = [before.get(text)!['Total Cost'], after.get(text)!['Total Cost']];
    return !flat(one, other) && other > (1.5 * one * many) / few;
  });
  expect(found.map(({ at, text }) => `${at}\n${scansOf(after.get(text)).map(received).join('\n')}`)).toEqual(
    [],
  );
});

it('applying reports needs no statistics: no table is read by its organization alone', async () => {
  await pretend(owner, 100_000);
  await forgetColumns(owner);
  const applying = requested.filter(({ at }) =>
    /^ledger\/(read-buys|read-versions|lock-ledger|version-rows|stream-head)\.ts/.test(at),
  );
  const blind = await plansOf(app, applying);
  expect(blind.size).toBeGreaterThan(0);
  const found = applying.flatMap(({ at, text }) =>
    scansOf(blind.get(text))
      .filter(isWide)
      .map((scan) => `${at} ${received(scan)}`),
  );
  expect(found).toEqual([]);
});

function columnsOfModels(): Models {
  const enums = Prisma as unknown as Readonly<Record<string, Readonly<Record<string, string>>>>;
  return new Map(
    Object.values(Prisma.ModelName).map((model) => [
      model,
      new Set(Object.keys(enums[`${model.charAt(0).toUpperCase()}${model.slice(1)}ScalarFieldEnum`] ?? {})),
    ]),
  );
}

/** As requested by CLI and REST, with literal values, as for unnamed statements: in total, and for one client. */
function spendQuestions(by: readonly SpendDimension[]): readonly StoreStatement[] {
  return [undefined, Date.UTC(2026, 11, 30, 23, 59)].flatMap((asOf) =>
    [undefined, largePrincipal].map((clientId) => {
      const question = {
        by,
        reach: { kind: 'everything' },
        ...(asOf !== undefined && { asOf }),
        ...(clientId !== undefined && { clientId }),
      } as const;
      const { text, values } = spendStatement(largeOrganization, question);
      const at = `finance/spend-by.ts by ${by.join()}${asOf === undefined ? '' : ', as of'}${clientId === undefined ? '' : ', of a client'}`;
      return {
        at,
        text: text.replace(/\$(\d+)/g, (_all, place: string) => literal(values[Number(place) - 1])),
      };
    }),
  );
}

function literal(value: unknown): string {
  if (value === null) return 'null';
  return pg.escapeLiteral(value instanceof Date ? value.toISOString() : (value as string));
}

/** Without each optional filter, and with all of them; with page limits, and times at the start of the list. */
function variantsOf({ at, text }: StoreStatement): readonly StoreStatement[] {
  const whole = text
    .replaceAll('scope.organization_id', `'${largeOrganization}'::uuid`)
    .replaceAll('undefined', '')
    .replace(/lease_now\((\$\d+)\)/g, '$1::timestamptz')
    .replace(/(\w+) = \$\d+(::\w+)?/gi, (same, column: string) =>
      column in largeValues ? `${column} = '${largeValues[column] ?? ''}'` : same,
    )
    .replace(/limit \$\d+/gi, 'limit 50')
    .replace(/offset \$\d+/gi, 'offset 0')
    .replace(/(\w+_(?:at|until)) (<=?|>=?) \$\d+(::timestamptz)?/gi, (_all, column: string, sign: string) => {
      const end = sign.startsWith('<') ? '2026-01-01 00:01Z' : '2026-12-30 23:59Z';
      return `${column} ${sign} '${end}'::timestamptz`;
    });
  const optional = /\$\d+(::\w+(\[\])?)? is null/gi;
  if (!optional.test(whole)) return [{ at, text: whole }];
  return ['true', 'false'].map((given) => ({ at, text: whole.replace(optional, given) }));
}

/** Fragments of other statements cannot be planned alone, and are planned with those. */
async function plansOf(client: pg.Client, of = requested): Promise<ReadonlyMap<string, Plan>> {
  const plans = new Map<string, Plan>();
  for (const { at, text } of of) {
    try {
      const { rows } = await client.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
        `explain (generic_plan, format json) ${text}`,
      );
      const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
      if (plan !== undefined) plans.set(text, plan);
    } catch (error) {
      // 42P01: an alias of the surrounding statement; 42601: a part of a text.
      if (!['42P01', '42601'].includes((error as { code?: string }).code ?? ''))
        throw new Error(`${at} cannot be planned`, { cause: error });
    }
  }
  return plans;
}

function isAllowed(at: string, text: string): boolean {
  return growthAllowed.some((one) => at.startsWith(one.file) && plain(text).includes(one.part));
}

function plain(text: string): string {
  return text.replaceAll(/\s+/g, ' ').toLowerCase();
}

function scansOf(plan: Plan | undefined): readonly Plan[] {
  if (plan === undefined) return [];
  const own = /(Seq|Index|Index Only|Bitmap Index) Scan$/.test(plan['Node Type']) ? [plan] : [];
  return [...own, ...(plan.Plans ?? []).flatMap(scansOf)];
}

/** Whether only the organization selects the rows. */
function isWide(scan: Plan): boolean {
  const columns = [...(scan['Index Cond'] ?? '').matchAll(/\((\w+) (?:=|<|>)/g)].map(([, column]) => column);
  return columns.every((column) => column === 'organization_id');
}

function received(scan: Plan): string {
  const place = scan['Index Name'] ?? scan['Relation Name'] ?? '';
  return `  ${scan['Node Type']} ${place} ${scan['Index Cond'] ?? ''} filter ${scan.Filter ?? 'none'}`;
}
