import type { JsonObject, Result } from '@switchyard/values';

/** What a seller said to one call. */
export interface SellerSaid {
  readonly payload: JsonObject;
  readonly isError: boolean;
  readonly a2a?: { readonly taskId?: string; readonly contextId?: string; readonly state?: string };
}

/** A seller that has a release's lifecycle tasks in place of older ones. */
export interface LifecycleSeller<Failure> {
  /** Whether it lists a task. */
  offers(tool: string): boolean;
  call(tool: string, args: JsonObject): Promise<Result<SellerSaid, Failure>>;
  /** A new UUID, for the key of a search. */
  uuid(): string;
  /** What this process learned of the seller under a key: arguments that a repetition has to send again. */
  recall(key: string): JsonObject | undefined;
  keep(key: string, value: JsonObject): void;
  forget(key: string): void;
  /** The failure of a call whose effect is not known. */
  uncertain(): Failure;
}

/**
 * An older task that is asked by lifecycle tasks (docs/protocol/sellers.md#sellers-of-lifecycle-tasks-alone).
 */
export interface StandIn {
  /** Lifecycle tasks, of which the seller lists at least one. */
  readonly by: readonly string[];
  /** Members of the older task's arguments that these can carry. Others are cut off, and reported, by the list of tools. */
  readonly carries: readonly string[];
  ask<Failure>(args: JsonObject, seller: LifecycleSeller<Failure>): Promise<Result<SellerSaid, Failure>>;
}
