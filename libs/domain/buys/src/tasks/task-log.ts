import type { TaskFilters, TaskSort } from '@switchyard/protocol';
import type { TenantScope } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import type { BuyerAccount } from '../caller.js';
import type { Operation } from '../operation.js';

/** Which operations of one principal are meant, and which part of them is shown. */
export interface TaskQuery {
  readonly principalId: string;
  /** Names of the tasks that can go on after their answer, as far as the caller wants them. */
  readonly tasks: readonly string[];
  /** Only what was asked for this account, however the request named it. */
  readonly account?: BuyerAccount & { readonly id: string };
  readonly filters: Omit<TaskFilters, 'protocols' | 'taskTypes'>;
  readonly sort: TaskSort;
  readonly limit: number;
  readonly offset: number;
  /** Nothing younger is shown, so that pages stay apart while work is added. */
  readonly asOf: Instant;
}

export interface LoggedTask {
  readonly operation: Operation;
  readonly hasWebhook: boolean;
}

export interface TaskPage {
  readonly items: readonly LoggedTask[];
  /** Of all pages, by status and by task. */
  readonly counts: readonly { readonly status: string; readonly task: string; readonly count: number }[];
}

/** Operations as their own principal lists them. */
export interface TaskLog {
  find(scope: TenantScope, query: TaskQuery): Promise<TaskPage>;
}
