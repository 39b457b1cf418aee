import {
  memorySeller,
  type Fate,
  type MemorySeller,
  type SeededRandom,
  type TestClock,
} from '@switchyard/testing';
import type { SellerAnswer, TransportFailure } from '@switchyard/sellers';
import {
  canonicalJson,
  err,
  isJsonObject,
  ok,
  type JsonObject,
  type JsonValue,
  type Result,
} from '@switchyard/values';

/** How a seller misbehaves. */
export const habits = [
  'honest',
  'slow',
  'flapping',
  'losing',
  'busy',
  'lying',
  'forgetful',
  'asynchronous',
  'zombie',
] as const;
export type Habit = (typeof habits)[number];

type Answer = Result<SellerAnswer, TransportFailure>;

/** What a seller really made, and what it will report: the model that our books have to reach. */
export interface SoldBuy {
  readonly mediaBuyId: string;
  readonly key: string;
  readonly packageIds: readonly string[];
}

const failed = (delivered: 'no' | 'maybe', code: 'unreachable' | 'aborted' = 'unreachable'): Answer =>
  err({ code, delivered, message: 'The simulated seller did as it does.' });

/**
 * A seller with a habit, on top of the sales agent in memory: it is slow, does not come up, loses answers, answers
 * nonsense, forgets keys, or says "later".
 */
export class SimulatedSeller {
  readonly habit: Habit;
  readonly #inner: MemorySeller;
  readonly #chance: SeededRandom;
  readonly #clock: TestClock;
  readonly #later = new Map<string, { readonly at: number; readonly answer: JsonObject }>();
  /** Set once the trouble is over: from then on everything is answered. */
  isCalm = false;
  readonly creates: { readonly key: string; readonly text: string }[] = [];

  constructor(habit: Habit, chance: SeededRandom, clock: TestClock) {
    this.habit = habit;
    this.#inner = memorySeller({ isIdempotent: habit !== 'forgetful' });
    this.#chance = chance;
    this.#clock = clock;
  }

  get isIdempotent(): boolean {
    return this.habit !== 'forgetful';
  }

  get sold(): readonly JsonObject[] {
    return this.#inner.buys;
  }

  async call(tool: string, args: JsonObject, signal: AbortSignal): Promise<Answer> {
    if (tool.includes('task')) return this.#task(args);
    const fate = this.isCalm ? 'answer' : this.#fateOf(tool);
    const wait = this.isCalm ? 0 : this.habit === 'slow' ? this.#chance.between(0, 40_000) : 0;
    if (fate !== 'drop' && tool === 'create_media_buy')
      this.creates.push({ key: textOf(args['idempotency_key']), text: canonicalJson(args) });
    this.#inner.fate(tool, fate);
    const answered = this.#inner.call(tool, args, signal);
    if (wait > 0 && !(await this.#pause(wait, signal))) return failed('maybe', 'aborted');
    const answer = await answered;
    if (answer.ok && this.habit === 'asynchronous' && tool === 'create_media_buy' && fate === 'answer')
      return ok({ payload: this.#defer(answer.value.payload), isError: false });
    return answer;
  }

  #fateOf(tool: string): Fate {
    const dice = this.#chance.between(0, 99);
    switch (this.habit) {
      case 'flapping':
        return dice < 40 ? 'drop' : dice < 55 ? 'hang' : 'answer';
      case 'losing':
      case 'forgetful':
        return dice < 40 ? 'lose' : 'answer';
      case 'busy':
        if (dice < 50) return { says: { errors: [{ code: 'RATE_LIMITED', message: 'Later.' }] } };
        return 'answer';
      case 'lying':
        if (dice < 25) return { says: { media_buy_id: 7, packages: 'none' } };
        if (dice < 45) return { fails: { code: 'malformed', delivered: 'maybe' } };
        return tool === 'get_media_buys' && dice < 60 ? { says: { media_buys: [] } } : 'answer';
      default:
        return 'answer';
    }
  }

  /** Waits in the virtual time. False if the caller gave up before. */
  #pause(ms: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = this.#clock.after(ms, () => resolve(true));
      signal.addEventListener('abort', () => (cancel(), resolve(false)), { once: true });
    });
  }

  /** It has made the buy, and says so later. The same answer for the same buy. */
  #defer(answer: JsonObject): JsonObject {
    const taskId = `task-${textOf(answer['media_buy_id'])}`;
    if (!('errors' in answer) && !this.#later.has(taskId))
      this.#later.set(taskId, { at: this.#clock.now() + this.#chance.between(60_000, 900_000), answer });
    return 'errors' in answer ? answer : { status: 'submitted', task_id: taskId };
  }

  #task({ task_id: taskId }: JsonObject): Answer {
    const known = this.#later.get(textOf(taskId));
    if (known === undefined)
      return ok({ payload: { errors: [{ code: 'REFERENCE_NOT_FOUND', message: 'No.' }] }, isError: true });
    const isOver = this.#clock.now() >= known.at;
    return ok({
      payload: {
        task_id: textOf(taskId),
        task_type: 'create_media_buy',
        status: isOver ? 'completed' : 'working',
        created_at: '2026-11-01T00:00:00Z',
        updated_at: '2026-11-01T00:00:00Z',
        ...(isOver && { result: known.answer }),
      },
      isError: false,
    });
  }
}

const textOf = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');

/** The packages of a buy as its seller made it. */
export function packagesOf(buy: JsonObject): readonly string[] {
  const packages = Array.isArray(buy['packages']) ? buy['packages'].filter(isJsonObject) : [];
  return packages.map(({ package_id: id }) => textOf(id));
}
