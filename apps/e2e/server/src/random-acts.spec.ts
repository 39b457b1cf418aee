import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { countsOf, firstOfEach, playAgain } from './harness/random-acts/report.js';
import { shrink } from './harness/random-acts/shrink.js';
import type { Act } from './harness/random-acts/stage.js';
import { startTheatre, type Theatre } from './harness/random-acts/theatre.js';
import { isEnd, replay, walk, type Walked } from './harness/random-acts/walk.js';

/*
 * Random acts of people, agents and programs in two organizations, through the real routes and tasks, with sellers that
 * deliver less or more, late, or refuse. A model of the rules judges every answer, and the tables after every act:
 * nobody moves more money than a limit says, nobody approves what is his own, nobody sees or changes what is out of
 * scope. `E2E_ACTS=2000` plays more, `E2E_FIND=all` goes on after the first violation.
 */

const seed = Number(process.env['E2E_SEED'] ?? 471_133);
const count = Number(process.env['E2E_ACTS'] ?? 300);
const play = process.env['E2E_PLAY'];
/** The invariant whose violation is looked for, or `all` to go on after each. Unless set, the first violation ends it. */
const find = process.env['E2E_FIND'];
const endsAt = find === undefined ? 'first' : find === 'all' ? 'never' : { invariant: find };
/** How long a counterexample is shortened, in milliseconds. */
const shrinkMs = Number(process.env['E2E_SHRINK_SECONDS'] ?? 120) * 1_000;
let theatre: Theatre;

beforeAll(async () => {
  theatre = await startTheatre();
});
afterAll(() => theatre.close());

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function played(): Promise<Walked> {
  const stage = await theatre.open(seed);
  if (play === undefined) return walk(stage, seed, count, endsAt);
  const lines = readFileSync(play, 'utf8').split('\n').filter(Boolean);
  return replay(
    stage,
    lines.map((line) => JSON.parse(line) as Act),
    endsAt,
  );
}

describe(`random acts of every pair of roles (E2E_SEED=${String(seed)})`, () => {
  it('move no more money than a limit says, approve nothing of their own, and see nothing out of scope', async () => {
    const walked = await played();
    say(`${String(walked.acts.length)} acts: ${countsOf(walked)}`);
    const found = firstOfEach(walked);
    const last = walked.violations.find(({ invariant }) => isEnd(endsAt, invariant));
    if (last !== undefined && play === undefined) {
      say([`E2E_SEED=${String(seed)} E2E_ACTS=${String(count)}`, ...found].join('\n'));
      const shortest = await shrink(walked.acts, last.invariant, () => theatre.open(seed), shrinkMs);
      say(playAgain(seed, shortest));
    }
    expect(found).toEqual([]);
    expect(walked.acts.length).toBeGreaterThanOrEqual(play === undefined ? count : 1);
    // Thousands of acts take longer than other tests may.
  }, 7_200_000);
});
