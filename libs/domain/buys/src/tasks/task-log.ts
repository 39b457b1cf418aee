import type { TaskFilters, TaskSort } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerAccount } from '../model/caller.js';
import type { Operation } from '../model/operation.js';

/** Which operations are meant, and which part of them is shown. */
export interface TaskQuery {
  /** Tasks that can go on after their answer, as far as the caller wants them, with what of them it may see. */
  readonly tasks: readonly { readonly names: readonly string[]; readonly reach: Reach }[];
  /** Only what was asked for this account, however the request named it. */
  readonly account?: BuyerAccount & { readonly id: string };
  readonly filters: Omit<TaskFilters, 'protocols' | 'taskTypes'>;
  readonly sort: TaskSort;
  readonly limit: number;
  /** How many are passed over from the place on, or from the start; forms that page by number have nothing else. */
  readonly offset: number;
  /** The last that was shown: what comes next stands behind it, whatever moved or left since. */
  readonly after?: TaskPlace;
  /**
   * When the walk began. Nothing younger is shown, so that pages stay apart while work is added. In an order that
   * changes with a task, what changed since comes last, as it stands now: it is never passed over.
   */
  readonly asOf: Instant;
}

/** Where a task stands in the order that was asked for. */
export interface TaskPlace {
  /** What it is sorted by, as text of the log's own making. */
  readonly value: string;
  readonly createdAt: Instant;
  /** Of the operation. */
  readonly id: string;
}

export interface LoggedTask {
  readonly operation: Operation;
  readonly hasWebhook: boolean;
}

export interface TaskPage {
  readonly items: readonly LoggedTask[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: TaskPlace;
  /** Of all pages, by status and by task. */
  readonly counts: readonly { readonly status: string; readonly task: string; readonly count: number }[];
}

/** Operations as a principal lists them: its own, and its colleagues' as far as it may see them. */
export interface TaskLog {
  find(scope: TenantScope, query: TaskQuery): Promise<TaskPage>;
}
