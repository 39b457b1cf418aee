import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { tasks, type Dialect, type Form } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import { coveredDoors } from './spec-doors-of-tasks.js';
import { refusalFaults } from './spec-refusals.js';
import { publishedSchemas, schemasAreThere, type PublishedSchemas } from './spec-schemas.js';
import { openStage, type Cell, type Stage } from './spec-stage.js';

/** Whatever is refused is refused in words of the release that it is refused in: every task, at every door. */
const voices: readonly { readonly dialect: Dialect; readonly form: Form }[] = [
  { dialect: 'ads', form: '2.5' },
  { dialect: 'adcp', form: '3.0' },
  { dialect: 'adcp', form: '3.1' },
];

let stage: Stage;
let schemas: PublishedSchemas | undefined;
let held = 0;

beforeAll(async () => {
  stage = await openStage('mcp');
  schemas = schemasAreThere ? publishedSchemas() : undefined;
}, 180_000);
afterAll(async () => {
  await stage.close();
  process.stdout.write(`${held} refusals held against the published schemas\n`);
});

/** Arguments that no task takes, and what is said of them. */
const refused: readonly {
  readonly name: string;
  readonly args: (world: Stage['world']) => JsonObject;
  readonly who: 'buyer' | 'nobody';
  readonly codes: readonly string[];
}[] = [
  {
    name: 'a credential among the arguments',
    args: () => ({
      context: { trace: 'kept back' },
      ext: { vendor: { api_key: 'sk-not-a-real-one-0123456789' } },
    }),
    who: 'buyer',
    codes: ['CREDENTIAL_IN_ARGS'],
  },
  {
    name: 'a version that nobody speaks',
    args: () => ({ adcp_major_version: 9, ads_major_version: 9 }),
    who: 'buyer',
    codes: ['VERSION_UNSUPPORTED'],
  },
];

/** From 3.1 on who changes something says who it is by signing. */
const asksWho: readonly string[] = ['AUTH_REQUIRED', 'AUTH_MISSING', 'request_signature_required'];

function codeOf(answer: JsonObject): string | undefined {
  const [first]: readonly JsonValue[] = Array.isArray(answer['errors']) ? answer['errors'] : [];
  return isJsonObject(first) && typeof first['code'] === 'string' ? first['code'] : undefined;
}

describe.each(tasks.map(({ name }) => name))('%s', (task) => {
  it.each(voices)(
    'is refused in the words of $form in $dialect, at every door',
    async ({ dialect, form }) => {
      const seen: unknown[] = [];
      for (const door of coveredDoors)
        for (const { name, args, who, codes } of refused) {
          const cell: Omit<Cell, 'arm'> = { task, door, dialect, form };
          const answer = await stage.ask(cell, args(stage.world), who);
          const faults = schemas === undefined ? [] : refusalFaults(schemas, cell, answer);
          held += schemas === undefined ? 0 : 1;
          const code = codeOf(answer);
          if (faults.length > 0 || !codes.includes(code ?? '')) seen.push({ door, name, code, faults });
        }
      expect(seen).toEqual([]);
    },
  );

  it.each(voices)(
    'asks who is calling in the words of $form in $dialect, unless it is for everybody',
    async (voice) => {
      const isOpen = tasks.some((spec) => spec.name === task && spec.access !== 'credentials');
      const seen: unknown[] = [];
      for (const door of isOpen ? [] : coveredDoors) {
        const cell = { task, door, ...voice };
        const answer = await stage.ask(cell, {}, 'nobody');
        const faults = schemas === undefined ? [] : refusalFaults(schemas, cell, answer);
        held += schemas === undefined ? 0 : 1;
        const code = codeOf(answer) ?? '';
        if (faults.length > 0 || !asksWho.includes(code)) seen.push({ door, code, faults, answer });
      }
      expect(seen).toEqual([]);
    },
  );
});
