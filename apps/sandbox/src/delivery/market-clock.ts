import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Agenda } from '../webhooks/agenda.js';

/** How fast campaign days pass: not at all, one each second, or one each minute. */
export const speeds = ['paused', 'second', 'minute'] as const;
export type Speed = (typeof speeds)[number];

interface Moment {
  readonly speed: Speed;
  /** The time of the market, and of the wall then; milliseconds since 1970. */
  readonly marketAt: number;
  readonly wallAt: number;
}

interface Waiting {
  readonly at: number;
  readonly agenda: Agenda;
  readonly task: () => void | Promise<void>;
}

/**
 * The calendar of all campaigns of the market. It moves their days and nothing else: tokens, signatures, answers and
 * reviews follow the wall clock. A file keeps it over restarts.
 */
export class MarketClock {
  #moment: Moment;
  readonly #waiting = new Map<Waiting, NodeJS.Timeout | undefined>();

  /** `dayMs`: a campaign day, in milliseconds of the market. */
  constructor(
    private readonly dayMs: number,
    private readonly file?: string,
    private readonly wall: () => number = Date.now,
  ) {
    this.#moment = kept(file) ?? { speed: 'second', marketAt: wall(), wallAt: wall() };
  }

  get speed(): Speed {
    return this.#moment.speed;
  }

  now(): number {
    const { marketAt, wallAt } = this.#moment;
    return marketAt + (this.wall() - wallAt) * this.#rate();
  }

  set(speed: Speed): void {
    this.#move({ speed, marketAt: this.now() });
  }

  /** Moves on by one campaign day, also while it is paused. */
  nextDay(): void {
    this.#move({ speed: this.speed, marketAt: this.now() + this.dayMs });
  }

  /** Does a task at a time of the market. */
  at(at: number, agenda: Agenda, task: Waiting['task']): void {
    this.#plan({ at, agenda, task });
  }

  stop(): void {
    for (const timer of this.#waiting.values()) clearTimeout(timer);
    this.#waiting.clear();
  }

  /** Of the market, for each millisecond of the wall. A day a second is the speed that `dayMs` names. */
  #rate(): number {
    return { paused: 0, second: 1, minute: 1 / 60 }[this.speed];
  }

  #move(next: Omit<Moment, 'wallAt'>): void {
    this.#moment = { ...next, wallAt: this.wall() };
    if (this.file !== undefined) {
      writeFileSync(`${this.file}.new`, JSON.stringify(this.#moment), { mode: 0o600 });
      renameSync(`${this.file}.new`, this.file);
    }
    for (const [waiting, timer] of [...this.#waiting]) {
      clearTimeout(timer);
      this.#plan(waiting);
    }
  }

  #plan(waiting: Waiting): void {
    this.#waiting.delete(waiting);
    if (waiting.agenda.isStopped()) return;
    const rate = this.#rate();
    const left = waiting.at - this.now();
    if (left > 0 && rate === 0) return void this.#waiting.set(waiting, undefined);
    const delay = Math.min(longestMs, Math.max(0, left / (rate || 1)));
    const timer = setTimeout(() => {
      if (waiting.at > this.now()) return this.#plan(waiting);
      this.#waiting.delete(waiting);
      if (!waiting.agenda.isStopped()) void waiting.agenda.run(waiting.task);
    }, delay);
    this.#waiting.set(waiting, timer);
  }
}

/** The longest time that a timer takes. */
const longestMs = 2 ** 31 - 1;

/** What the file has; undefined if there is none, or if it is damaged: then days pass as at the first start. */
function kept(file: string | undefined): Moment | undefined {
  try {
    const read = JSON.parse(readFileSync(file ?? '', 'utf8')) as Partial<Moment>;
    const { speed, marketAt, wallAt } = read;
    const isWhole =
      speeds.some((one) => one === speed) && Number.isFinite(marketAt) && Number.isFinite(wallAt);
    return isWhole ? (read as Moment) : undefined;
  } catch {
    return undefined;
  }
}
