import { seededRandom } from '@switchyard/testing';
import { waitForRest } from '../wait-for-rest.js';
import { agentActs } from './agent-acts.js';
import { approvalActs, openIn } from './approval-acts.js';
import { buyActs } from './buys-acts.js';
import { campaignActs } from './campaign-acts.js';
import { Invariants } from './invariants.js';
import { limitActs } from './limits-acts.js';
import type { OrgModel } from './model.js';
import { opening } from './opening.js';
import { peopleActs } from './people-acts.js';
import { placeActs } from './place-acts.js';
import { programActs } from './program-acts.js';
import { readActs } from './read-acts.js';
import { sellerActs } from './seller-acts.js';
import { NothingToDo, Stage, type Act, type ActKind, type StageOf, type Violation } from './stage.js';

/** Every act and its answers are printed. */
const isTraced = process.env['E2E_TRACE'] === '1';

const kinds: readonly ActKind[] = [
  ...[...limitActs, ...buyActs, ...placeActs, ...campaignActs, ...approvalActs],
  ...[...peopleActs, ...agentActs, ...programActs, ...sellerActs, ...readActs],
];
const byName = new Map(kinds.map((kind) => [kind.name, kind]));

/** Acts that were played, what they did, and what they found. */
export interface Walked {
  readonly acts: readonly Act[];
  readonly violations: readonly (Violation & { readonly at: number })[];
  readonly counts: ReadonlyMap<string, { readonly tried: number; readonly done: number }>;
}

/** When a walk ends early: at the first violation of all, of one invariant, or never. */
export type EndsAt = 'first' | 'never' | { readonly invariant: string };

/** Draws and plays a number of acts in a fresh world. The same seed draws the same acts from the same answers. */
export async function walk(of: StageOf, seed: number, count: number, endsAt: EndsAt): Promise<Walked> {
  const random = seededRandom(seed);
  const stage = new Stage(of);
  const player = new Player(stage);
  for (const act of opening) await player.play(act);
  const weights = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind));
  while (player.acts.length < count) {
    const label = `n${String(player.acts.length)}`;
    const act = random.pick(weights).draw(stage, random, label);
    if (act === undefined) continue;
    await player.play(act);
    if (player.violations.some(({ invariant }) => isEnd(endsAt, invariant))) break;
  }
  return player.walked();
}

/** Plays given acts in a fresh world. */
export async function replay(of: StageOf, acts: readonly Act[], endsAt: EndsAt): Promise<Walked> {
  const player = new Player(new Stage(of));
  for (const act of acts) {
    await player.play(act);
    if (player.violations.some(({ invariant }) => isEnd(endsAt, invariant))) break;
  }
  return player.walked();
}

export const isEnd = (endsAt: EndsAt, invariant: string): boolean =>
  endsAt === 'first' || (endsAt !== 'never' && endsAt.invariant === invariant);

class Player {
  readonly acts: Act[] = [];
  readonly violations: (Violation & { at: number })[] = [];
  readonly #counts = new Map<string, { tried: number; done: number }>();
  readonly #invariants: Invariants;

  constructor(readonly stage: Stage) {
    this.#invariants = new Invariants(stage);
  }

  async play(act: Act): Promise<void> {
    const { stage } = this;
    const count = this.#counts.get(act.act) ?? { tried: 0, done: 0 };
    this.#counts.set(act.act, count);
    count.tried += 1;
    this.acts.push(act);
    stage.isApprovedByOther = false;
    stage.log.length = 0;
    try {
      await byName.get(act.act)?.play(stage, act);
      if (isTraced)
        process.stderr.write(`${JSON.stringify(act)}: ${stage.log.join('; ')}
`);
      if (stage.log.every((line) => / 20\d $/.test(line))) count.done += 1;
    } catch (error) {
      if (error instanceof NothingToDo) return;
      throw error;
    }
    await atRest(stage);
    for (const org of this.judgedAfter(act)) {
      await this.#invariants.judge(org);
      org.openRequests = await openIn(stage, org.name);
    }
    for (const violation of stage.violations.splice(0))
      this.violations.push({ ...violation, at: this.acts.length - 1 });
  }

  /** The organization in which somebody acted; now and then every one, since sellers report by themselves. */
  private judgedAfter({ by }: Act): readonly OrgModel[] {
    const { orgs, actors } = this.stage.of.world;
    const own = actors.get(by)?.org;
    return [...orgs.values()].filter(({ name }) => name === own || this.acts.length % 10 === 0);
  }

  walked(): Walked {
    return { acts: this.acts, violations: this.violations, counts: this.#counts };
  }
}

/** Waits until every request has gone to its seller, and every event that has come in is applied. */
async function atRest({ of }: Stage): Promise<void> {
  const ids = [...of.world.orgs.values()].map(({ id }) => id);
  await waitForRest('the next act', async () => {
    const [left] = await of.view.rows<{ legs: number; events: number }>(
      `select (select count(*)::int from leg where organization_id = any($1::uuid[]) and status = 'pending') as legs,
         (select count(*)::int from inbox_event where organization_id = any($1::uuid[]) and state = 'received') as events`,
      [ids],
    );
    return { ...left };
  });
}
