import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { Caller, PrincipalCaller, TaskReply, TaskService } from './task-call.js';

/** The tool of conformance runners: only in the local profile, and only with the sandbox market. */
export const testControllerTool = 'comply_test_controller';

/** Its description in the lists of tools. */
export const testControllerWords =
  'For conformance runners, in the local profile alone: puts accounts, products, creatives and media buys of the caller into states at the sandbox seller.';

/** States that can be forced, as far as capabilities have names for them: seeding and the arms of a buy have none. */
export const forcibleScenarios: readonly string[] = [
  'force_account_status',
  'force_creative_status',
  'force_media_buy_status',
  'simulate_delivery',
  'simulate_budget_spend',
];

/** Puts the sandbox market into the states that a conformance run needs. */
export interface TestController {
  /**
   * Runs a `comply_test_controller` call, at the sandbox seller that has the tool and by our own tasks, which run as
   * the caller. Refusals are answers of that tool (`success: false` with `error` and `error_detail`), never errors of a
   * task.
   */
  perform(
    caller: PrincipalCaller,
    args: JsonObject,
    tasks: TaskService,
    signal: AbortSignal,
  ): Promise<JsonObject>;
  /** True if one of these live connections is to a seller with the tool. */
  isReady(live: readonly Connection[]): boolean;
  /**
   * The same arguments with our own ids: the seller's prefix for every product id that was seeded here
   * (docs/protocol/requests-and-versions.md#ids), and our ids for the names that a run gave to tasks, buys and
   * accounts.
   */
  withLocalNames(caller: Caller, args: JsonObject): JsonObject;
  /** The answer to a task, with the names that its caller's run gave to its objects. */
  withTestNames(caller: Caller, task: string, reply: TaskReply): TaskReply;
}
