import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { JsonSchemaValidator } from '@modelcontextprotocol/sdk/validation';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import {
  lifecycleTasksOf,
  releaseNames,
  tasks,
  taskTable,
  type AnyTaskSpec,
  type Dialect,
  type Form,
  type ReleaseName,
} from '@switchyard/protocol';
import { isWholeMatrix, PublishedJudge, sampled, tellLeftOut } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { listedOutput } from '../platform/tasks/listing/tool-schemas.js';
import { describedOutput } from '../platform/tasks/listing/task-schemas.js';
import { Captures, isWriting } from './testkit/captures.js';
import { coveredEndpoints } from './testkit/task-endpoints.js';
import { findingsOutside } from './testkit/findings.js';
import { judgeBySchemas, steady, steadyBeside } from './testkit/judge.js';
import { coveragePage, type CellResult } from './testkit/page.js';
import { wires, type Wire } from './testkit/recording-sellers.js';
import { requests } from './testkit/requests.js';
import { openStage, spokenIn, type Arm, type Cell, type Passage, type Stage } from './testkit/stage.js';
import { tasksUnderWay } from './testkit/submitted.js';

const page = fileURLToPath(new URL('../../../../docs/protocol/coverage.md', import.meta.url));
interface Voice {
  readonly dialect: Dialect;
  readonly form: Form;
  readonly release?: ReleaseName;
}
const profiles: readonly Voice[] = [
  { dialect: 'ads', form: 'service' },
  { dialect: 'ads', form: '2.5' },
  { dialect: 'ads', form: '3.0' },
  { dialect: 'ads', form: '3.1' },
  { dialect: 'adcp', form: '3.0' },
  { dialect: 'adcp', form: '3.1' },
];
/** Callers that name a release exactly, with the form that it builds on. */
const released: readonly Required<Voice>[] = releaseNames.flatMap((release) =>
  (['ads', 'adcp'] as const).map((dialect) => ({ dialect, form: '3.1' as const, release })),
);
const voices: readonly Voice[] = [...profiles, ...released];
const later = releaseNames.flatMap((release) =>
  lifecycleTasksOf({ release }).map(({ name }) => ({ name, release })),
);

let stages: Readonly<Record<Wire, Stage>>;
const judge = new PublishedJudge(expect.getState().testPath ?? '');
/** False where messages are broken on purpose. */
let isJudging = true;
const results: CellResult[] = [];

beforeAll(async () => {
  const [mcp, a2a] = await Promise.all(wires.map((wire) => openStage(wire, {}, 'http')));
  if (mcp === undefined || a2a === undefined) throw new Error('There is one stage for each wire.');
  stages = { mcp, a2a };
});
afterAll(tellLeftOut);
afterAll(async () => {
  await Promise.all(wires.map((wire) => stages[wire].close()));
  judge.close();
});

/** Everything that is wrong with a passage. None: its cell is covered in front of the sellers of this wire. */
function faultsOf(cell: Cell, wire: Wire, passage: Passage, captures: Captures): readonly string[] {
  const faults = isJudging ? judgeBySchemas(judge, cell, passage) : [];
  const { errors } = passage.answer;
  const name = [
    `${spokenIn(cell)} ${cell.dialect} ${cell.endpoint}`,
    ...(wire === 'mcp' ? [] : [`to ${wire}`]),
    ...(cell.arm === 'answered' ? [] : [cell.arm]),
  ].join(' ');
  const difference = captures.difference(name, steady(passage));
  const beside = wire === 'mcp' ? undefined : captures.difference(`${name} beside`, steadyBeside(passage));
  return [
    ...(Array.isArray(errors) ? [`refused: ${JSON.stringify(errors)}`] : []),
    ...faults,
    ...findingsOutside(cell, passage),
    ...(cell.endpoint === 'mcp' ? outputFaults(cell.task, passage.answer) : []),
    ...[difference, beside].flatMap((text) => (text === undefined ? [] : [`capture ${text}`])),
  ];
}

/** As the official client of MCP holds every answer against what the list of tools says of it. */
const validator = new AjvJsonSchemaValidator();
const validators = new Map<string, readonly JsonSchemaValidator<unknown>[]>();
function outputFaults(task: string, answer: JsonObject): readonly string[] {
  const ofTask =
    validators.get(task) ??
    [listedOutput(task), describedOutput(task)].map((schema) => validator.getValidator(schema));
  validators.set(task, ofTask);
  return ofTask.flatMap((isValid) => {
    const reported = isValid(answer);
    return reported.valid ? [] : [`no answer as its schema has it: ${reported.errorMessage}`];
  });
}

/**
 * The wires to the sellers before which a cell is tried. They alternate, so that each pair of voice and endpoint, voice
 * and wire, endpoint and wire occurs; `npm run test:matrix`, and the writing of captures, tries each cell on both.
 */
function wiresOf({ dialect, form, release, endpoint }: Cell): readonly Wire[] {
  if (isWholeMatrix || isWriting) return wires;
  const voice = voices.findIndex(
    (each) => each.dialect === dialect && each.form === form && each.release === release,
  );
  return [(voice + coveredEndpoints.indexOf(endpoint)) % 2 === 0 ? 'mcp' : 'a2a'];
}

async function tried(cell: Cell, captures: Captures): Promise<readonly string[]> {
  const chosen = wiresOf(cell);
  const passages = await Promise.all(chosen.map((wire) => stages[wire].run(cell)));
  return passages.flatMap((passage, at) => {
    const wire = chosen[at] ?? 'mcp';
    if (passage === undefined) return ['no request is written for it'];
    return faultsOf(cell, wire, passage, captures).map((fault) => `before sellers over ${wire}: ${fault}`);
  });
}

async function passesAllEndpoints(task: string, arm: Arm, voice: Voice, captures: Captures) {
  const seen: Record<string, readonly string[]> = {};
  for (const endpoint of coveredEndpoints) {
    const cell = { task, endpoint, arm, ...voice };
    seen[endpoint] = await tried(cell, captures);
    results.push({ ...cell, form: spokenIn(cell), passed: seen[endpoint].length === 0 });
  }
  expect(seen).toEqual({ mcp: [], a2a: [], rest: [] });
}

const capturesOf = new Map<string, Captures>();
function expected(task: string): Captures {
  const captures = capturesOf.get(task) ?? new Captures(task);
  capturesOf.set(task, captures);
  return captures;
}
afterAll(() => capturesOf.forEach((captures) => captures.save()));

describe.each(tasks.map(({ name }) => name))('%s', (task) => {
  it('has a complete message of every form', () => {
    expect(Object.keys(requests[task] ?? {}).sort()).toEqual(['2.5', '3.0', '3.1', 'service']);
  });

  it.each(profiles)(
    'passes every endpoint in the $form form of $dialect: as sent, as each seller gets it, and as returned',
    (profile) => passesAllEndpoints(task, 'answered', profile, expected(task)),
    60_000,
  );

  it.each(released)(
    'passes every endpoint in release $release of $dialect',
    (profile) => passesAllEndpoints(task, 'answered', profile, expected(task)),
    60_000,
  );
});

describe.each(tasksUnderWay)('%s that every seller answers with submitted', (task) => {
  it.each(profiles)(
    'passes every endpoint in the $form form of $dialect',
    (profile) => passesAllEndpoints(task, 'submitted', profile, expected(task)),
    60_000,
  );

  it.each(released)(
    'passes every endpoint in release $release of $dialect',
    (profile) => passesAllEndpoints(task, 'submitted', profile, expected(task)),
    60_000,
  );
});

describe('create_media_buy of a proposal as a whole', () => {
  it.each([...profiles.filter(({ form }) => form === '3.0' || form === '3.1'), ...released])(
    'passes every endpoint in the $form form of $dialect, at the seller that made it',
    (profile) => passesAllEndpoints('create_media_buy', 'proposal', profile, expected('create_media_buy')),
    60_000,
  );
});

describe.each(later)('$name, which $release has added', ({ name, release }) => {
  it.each(released.filter((voice) => voice.release === release))(
    'passes every endpoint in its release of $dialect, in front of sellers of older ones',
    (profile) => passesAllEndpoints(name, 'answered', profile, expected(name)),
    60_000,
  );
});

describe('the suite itself', () => {
  it('keeps the page equal to the cells', () => {
    const reported = coveragePage(results);
    if (isWriting) writeFileSync(page, reported);
    expect(existsSync(page) ? readFileSync(page, 'utf8') : '').toBe(reported);
  });
});

/** A captured cell of the task, in front of sellers over MCP, and what is said of it once one projector is gone. */
async function withoutProjector(
  spec: AnyTaskSpec,
  end: 'projectRequest' | 'projectAnswer',
  cell: Cell,
): Promise<readonly string[]> {
  const table = spec as { projectRequest: unknown; projectAnswer: unknown };
  const stored = table[end];
  table[end] = end === 'projectRequest' ? () => ({ args: {}, findings: [] }) : () => ({});
  try {
    const passage = await stages.mcp.run(cell);
    return passage === undefined ? [] : faultsOf(cell, 'mcp', passage, expected(spec.name));
  } finally {
    table[end] = stored;
  }
}

describe.each(tasks.map((spec) => ({ name: spec.name, spec })))(
  'without its projectors, $name',
  ({ name, spec }) => {
    beforeAll(() => {
      isJudging = false;
    });

    it.each(sampled(profiles, name, profiles.length))(
      'loses its cells in the $form form of $dialect',
      async (profile) => {
        const cell: Cell = { task: name, endpoint: 'mcp', arm: 'answered', ...profile };
        const passage = await stages.mcp.run(cell);
        if (passage === undefined) throw new Error('No request is written for this cell.');
        const faults = (seen: Passage) => faultsOf(cell, 'mcp', seen, expected(name));
        // What is wrong with the cell anyway, after all that was done to the stage, shows nothing.
        const before = faults(passage);
        const update = (after: readonly string[]) => after.filter((fault) => !before.includes(fault));
        if (passage.received.length > 0)
          expect(update(await withoutProjector(spec, 'projectRequest', cell))).not.toEqual([]);
        // What the agent says of itself is written by `projectCapabilities` alone: an answer that lost all has to do.
        const withoutAnswer =
          name === taskTable.getCapabilities.name
            ? faults({ ...passage, answer: {} })
            : await withoutProjector(spec, 'projectAnswer', cell);
        expect(update(withoutAnswer)).not.toEqual([]);
      },
    );
  },
);
