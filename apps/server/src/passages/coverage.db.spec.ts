import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { taskTable, tasks, type Dialect, type Form } from '@switchyard/protocol';
import { isJsonObject, type JsonValue } from '@switchyard/values';
import { Captures, isWriting } from './spec-captures.js';
import { coveredDoors } from './spec-doors-of-tasks.js';
import { findingsOutside } from './spec-findings.js';
import { judgeBySchemas, steady } from './spec-judge.js';
import { coveragePage, type CellResult } from './spec-page.js';
import { requests } from './spec-requests.js';
import { publishedSchemas, schemasAreThere, type PublishedSchemas } from './spec-schemas.js';
import { openStage, type Cell, type Stage } from './spec-stage.js';

const page = fileURLToPath(new URL('../../../../docs/protocol/coverage.md', import.meta.url));
const voices: readonly { readonly dialect: Dialect; readonly form: Form }[] = [
  { dialect: 'ads', form: 'service' },
  { dialect: 'ads', form: '2.5' },
  { dialect: 'ads', form: '3.0' },
  { dialect: 'ads', form: '3.1' },
  { dialect: 'adcp', form: '3.0' },
  { dialect: 'adcp', form: '3.1' },
];

let stage: Stage;
let schemas: PublishedSchemas | undefined;
let held = 0;
const results: CellResult[] = [];

beforeAll(async () => {
  stage = await openStage();
  schemas = schemasAreThere ? publishedSchemas() : undefined;
}, 120_000);
afterAll(async () => {
  await stage.close();
  const where = schemasAreThere ? `${held} messages held against` : 'no message was held against';
  process.stdout.write(`${where} the published schemas\n`);
});

/** What the stage cannot be asked for: its one task is over, and that is said in every form. */
const rightlyRefused: Readonly<Record<string, string>> = { cancel_task: 'NOT_CANCELLABLE' };

function codeOf([error]: readonly JsonValue[]): string {
  return isJsonObject(error) && typeof error['code'] === 'string' ? error['code'] : '';
}

/** Everything that is wrong with a cell. None: it is covered. */
async function faultsOf(cell: Cell, captures: Captures): Promise<readonly string[]> {
  const passage = await stage.run(cell);
  if (passage === undefined) return ['no request is written for it'];
  const faults = schemas === undefined ? undefined : judgeBySchemas(schemas, cell.task, cell.form, passage);
  held += faults?.held ?? 0;
  const refused =
    Array.isArray(passage.answer['errors']) && rightlyRefused[cell.task] !== codeOf(passage.answer['errors'])
      ? [`refused: ${JSON.stringify(passage.answer['errors'])}`]
      : [];
  const difference = captures.difference(`${cell.form} ${cell.dialect} ${cell.door}`, steady(passage));
  return [
    ...refused,
    ...(faults?.faults ?? []),
    ...findingsOutside(cell, passage),
    ...(difference === undefined ? [] : [`capture ${difference}`]),
  ];
}

describe.each(tasks.map(({ name }) => name))('%s', (task) => {
  const captures = new Captures(task);
  afterAll(() => captures.save());

  it('has a full message of every form', () => {
    expect(Object.keys(requests[task] ?? {}).sort()).toEqual(['2.5', '3.0', '3.1', 'service']);
  });

  it.each(voices)(
    'passes every door in the $form form of $dialect: what is sent, what each seller gets, what comes back',
    async ({ dialect, form }) => {
      const seen: Record<string, readonly string[]> = {};
      for (const door of coveredDoors) {
        seen[door] = await faultsOf({ task, door, dialect, form }, captures);
        results.push({ task, door, dialect, form, passed: seen[door].length === 0 });
      }
      expect(seen).toEqual({ mcp: [], a2a: [], rest: [] });
    },
    60_000,
  );
});

describe('the suite itself', () => {
  it('turns the cells red of a projector that is taken away', async () => {
    const spec = taskTable.getProducts as { projectRequest: unknown; projectAnswer: unknown };
    const { projectRequest, projectAnswer } = spec;
    const cell: Cell = { task: 'get_products', door: 'rest', dialect: 'adcp', form: '3.1' };
    const captures = new Captures('get_products');
    expect(await faultsOf(cell, captures)).toEqual([]);
    spec.projectRequest = () => ({ args: {}, findings: [] });
    const withoutRequest = await faultsOf(cell, captures);
    spec.projectRequest = projectRequest;
    spec.projectAnswer = (answer: object) => ({ ...answer });
    const withoutAnswer = await faultsOf(cell, captures);
    spec.projectAnswer = projectAnswer;
    expect(withoutRequest.length).toBeGreaterThan(0);
    expect(withoutAnswer.length).toBeGreaterThan(0);
    expect(await faultsOf(cell, captures)).toEqual([]);
  });

  it('keeps the page what the cells say', () => {
    const told = coveragePage(results);
    if (isWriting) writeFileSync(page, told);
    expect(existsSync(page) ? readFileSync(page, 'utf8') : '').toBe(told);
  });
});
