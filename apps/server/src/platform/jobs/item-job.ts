import { ok, type JsonValue, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import {
  itemsPerPart,
  jobsOn,
  type JobFailure,
  type JobFault,
  type JobKind,
  type JobUnit,
} from './job-kind.js';

interface ItemSpec<Deps, Item extends z.ZodType> extends Pick<
  JobKind<Deps>,
  'name' | 'title' | 'needs' | 'waitsFor'
> {
  readonly item: Item;
  /** Its name, for people. */
  readonly nameOf: (item: z.output<Item>) => string;
  /** Items of one group are done one after another. */
  readonly groupOf: (item: z.output<Item>) => string;
  /** Items that are done at once. */
  readonly atOnce: number;
  /** Does one item. It may run again after a crash. */
  readonly run: (
    deps: Deps,
    caller: PrincipalCaller,
    item: z.output<Item>,
  ) => Promise<Result<unknown, JobFailure>>;
}

const position = z.int().nonnegative();

/** Everything before `next` is done, except `again`; of the items behind it, those in `beside` are done. */
const cursor = z.strictObject({
  next: position,
  beside: z.array(position).max(10_000),
  again: z.array(position).max(10_000),
});
type ItemCursor = z.output<typeof cursor>;

/** How far ahead of the first open item another group is looked for, in items per one that runs. */
const lookAhead = 8;

/** A kind that does the same with each of its items, several at once. A crash repeats at most the items that ran. */
export function itemJob<Deps>() {
  return <Item extends z.ZodType>(spec: ItemSpec<Deps, Item>): JobKind<Deps> =>
    jobsOn<Deps>()({
      name: spec.name,
      title: spec.title,
      needs: spec.needs,
      waitsFor: spec.waitsFor,
      input: z.strictObject({}),
      cursor,
      first: { next: 0, beside: [], again: [] },
      again: (at, failed) => ({ ...at, again: [...new Set([...at.again, ...failed])] }),
      unit: async (deps, job) => {
        const run = new ItemRun(spec, deps, job);
        await run.work();
        const { done, faults } = run;
        return ok(run.isDone() ? { result: { succeeded: done - faults, failed: faults } } : {});
      },
    });
}

interface Outcome {
  readonly at: number;
  readonly fault?: JobFault;
  /** An item that threw is not done. */
  readonly thrown?: { readonly error: unknown };
}

/** The items of one slice. */
class ItemRun<Deps, Item extends z.ZodType> {
  done: number;
  faults: number;
  readonly #beside: Set<number>;
  readonly #again: Set<number>;
  #next: number;
  readonly #running = new Map<number, { readonly group: string; readonly settled: Promise<void> }>();
  #outcomes: Outcome[] = [];
  #thrown: Outcome['thrown'];
  readonly #parts = new Map<number, readonly JsonValue[]>();

  constructor(
    private readonly spec: ItemSpec<Deps, Item>,
    private readonly deps: Deps,
    private readonly job: JobUnit<unknown, ItemCursor>,
  ) {
    const { done, faults, cursor: at } = job;
    [this.done, this.faults, this.#next] = [done, faults, at.next];
    [this.#beside, this.#again] = [new Set(at.beside), new Set(at.again)];
  }

  isDone(): boolean {
    return this.#next >= (this.job.total ?? 0) && this.#again.size === 0;
  }

  /** Rejects with what an item threw, after the others have ended and their outcomes are stored. */
  async work(): Promise<void> {
    let goesOn = true;
    for (;;) {
      while (goesOn && this.#running.size < this.spec.atOnce && !this.#ends())
        if (!(await this.#begin())) break;
      if (this.#running.size === 0) break;
      await Promise.race([...this.#running.values()].map(({ settled }) => settled));
      const outcomes = this.#outcomes;
      this.#outcomes = [];
      for (const { at, thrown } of outcomes) {
        this.#running.delete(at);
        this.#thrown ??= thrown;
      }
      const done = outcomes.filter(({ thrown }) => thrown === undefined);
      if (done.length > 0 && (await this.#save(done)) !== 'go_on') goesOn = false;
    }
    if (this.#thrown !== undefined) throw this.#thrown.error;
  }

  #ends(): boolean {
    return this.job.isOver() || this.job.stopped.aborted || this.#thrown !== undefined;
  }

  /** Begins the first item whose group has none that runs. False if there is none. */
  async #begin(): Promise<boolean> {
    for (const at of this.#open()) {
      const item = this.spec.item.parse(await this.#item(at));
      const group = this.spec.groupOf(item);
      if ([...this.#running.values()].some((other) => other.group === group)) continue;
      this.#running.set(at, { group, settled: this.#run(at, item) });
      return true;
    }
    return false;
  }

  /** The next open positions. */
  *#open(): Generator<number> {
    let left = lookAhead * this.spec.atOnce;
    const { total = 0 } = this.job;
    const isOpen = (at: number): boolean => !this.#running.has(at) && (left -= 1) >= 0;
    for (const at of this.#again) if (isOpen(at)) yield at;
    for (let at = this.#next; at < total && left > 0; at += 1)
      if (!this.#beside.has(at) && isOpen(at)) yield at;
  }

  async #item(at: number): Promise<JsonValue | undefined> {
    const part = Math.floor(at / itemsPerPart);
    const known = this.#parts.get(part) ?? (await this.job.items(part));
    this.#parts.set(part, known);
    return known[at % itemsPerPart];
  }

  async #run(at: number, item: z.output<Item>): Promise<void> {
    try {
      const done = await this.spec.run(this.deps, this.job.caller, item);
      const fault = done.ok ? {} : { fault: { position: at, item: this.spec.nameOf(item), ...done.error } };
      this.#outcomes.push({ at, ...fault });
    } catch (error) {
      this.#outcomes.push({ at, thrown: { error } });
    }
  }

  #save(outcomes: readonly Outcome[]) {
    const faults = outcomes.flatMap(({ fault }) => (fault === undefined ? [] : [fault]));
    this.done += outcomes.length;
    this.faults += faults.length;
    for (const { at } of outcomes) if (!this.#again.delete(at)) this.#beside.add(at);
    while (this.#beside.delete(this.#next)) this.#next += 1;
    const at = { next: this.#next, beside: [...this.#beside], again: [...this.#again] };
    return this.job.save({ cursor: at, done: this.done, faults });
  }
}
