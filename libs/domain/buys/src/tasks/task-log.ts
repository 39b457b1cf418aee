import type { TaskFilters, TaskSort } from '@switchyard/protocol';
import type { Reach, TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerAccount } from '../model/buyer-account.js';
import type { Operation, OperationMove } from '../model/operation.js';

/** Selects operations and one page of them. */
export interface TaskQuery {
  /** Tasks that can continue after their answer, with the operations of each that the caller may see. */
  readonly tasks: readonly { readonly names: readonly string[]; readonly reach: Reach }[];
  /** Only requests for this account, however they named it. */
  readonly account?: BuyerAccount & { readonly id: string };
  readonly filters: Omit<TaskFilters, 'protocols' | 'taskTypes'>;
  readonly sort: TaskSort;
  readonly limit: number;
  /** Number of rows to skip; forms that page by number have only this. */
  readonly offset: number;
  /** The last row of the previous page: the next page begins after it, whatever changed since. */
  readonly after?: TaskPlace;
  /**
   * When the first page was read. Newer tasks are not listed, so that pages do not shift. In an order that
   * changes with a task, tasks changed since then come last, with their current state, and are never skipped.
   */
  readonly asOf: Instant;
}

/** The position of a task in the requested order. */
export interface TaskPlace {
  /** The sort value, as text in a format of the log. */
  readonly value: string;
  readonly createdAt: Instant;
  /** Id of the operation. */
  readonly id: string;
}

interface LoggedTask {
  readonly operation: Operation;
  readonly hasWebhook: boolean;
}

interface TaskPage {
  readonly items: readonly LoggedTask[];
  /** Position of the next page; absent on the last one. */
  readonly next?: TaskPlace;
  /** Counts over all pages, by status and by task. */
  readonly counts: readonly { readonly status: string; readonly task: string; readonly count: number }[];
}

/** Lists the operations that a principal may see: its own, and those of colleagues in reach. */
export interface TaskLog {
  find(scope: TenantScope, query: TaskQuery): Promise<TaskPage>;
}

/** The history of an operation once it is stored as `after`: extended where its status changed. */
export function movedOn(before: Operation, after: Operation): readonly OperationMove[] {
  const known = before.history ?? [];
  return after.status === before.status ? known : [...known, { status: after.status, at: after.updatedAt }];
}
