import type { Instant, JsonObject, Result } from '@switchyard/values';
import type { TaskError } from '../errors/task-fault.js';

/** What an earlier answer promised to its caller, by a key of the task: kept so that a later call can name it. */
export interface Kept {
  readonly key: string;
  readonly value: JsonObject;
  /** A member to which later answers under the same key add: pages of one list. */
  readonly adds?: string;
  /** Milliseconds since 1970. */
  readonly until: Instant;
}

/** A call of such a task: arguments of the task that serves it, or the whole answer where no seller is asked. */
export type Served =
  | { readonly args: JsonObject }
  | { readonly body: JsonObject }
  /** Sellers that have the task are told, and the answer is written from what they said, by slug. */
  | {
      readonly tells: readonly ToldSeller[];
      readonly body: (said: ReadonlyMap<string, JsonObject>) => JsonObject;
    };

/** What one seller is told by a task of its own. */
export interface ToldSeller {
  readonly slug: string;
  readonly tool: string;
  readonly args: JsonObject;
}

export interface LifecycleAnswer {
  readonly body: JsonObject;
  readonly kept?: readonly Kept[];
}

/** Facts of an answer that its payload does not hold. */
export interface AnsweredAt {
  /** When the call was received. */
  readonly at: Instant;
  /** The operation of the answer, a UUID; absent where none is stored. */
  readonly operationId?: string;
}

/**
 * A task that a release adds beside older ones that can do the same (docs/protocol/requests-and-versions.md#lifecycle-tasks).
 * It is served by an older task, so that sellers of every form are asked by its rules.
 */
export interface LifecycleTask {
  readonly name: string;
  /** Name of the older task. Its permission, deadline and rules hold. */
  readonly servedBy: string;
  /** True where it has an idempotency key although the older task only reads: a repetition gets the first answer. */
  readonly isRepeatable?: true;
  /** Members with their names in the older task, as `criteria.offer_filters`: for the places of exact numbers and errors. */
  readonly renamed?: Readonly<Record<string, string>>;
  /** The arguments, with the members that are required, for lists of tools. */
  inputSchema(): JsonObject;
  /** Keys of what earlier answers promised and this call needs. */
  recalls(args: JsonObject): readonly string[];
  serve(args: JsonObject, recalled: ReadonlyMap<string, JsonObject>): Result<Served, readonly TaskError[]>;
  /** The answer in its own shape, from the older task's answer with its envelope. `asked` is what `serve` noted. */
  answer(body: JsonObject, asked: JsonObject, answered: AnsweredAt): LifecycleAnswer;
}

/** The member of stored arguments that says by which task they were asked, and what its answer needs. No seller gets it. */
export const lifecycleMember = 'switchyard_lifecycle';
