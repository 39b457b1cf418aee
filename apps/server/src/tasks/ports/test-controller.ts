import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { Caller, PrincipalCaller, TaskReply, TaskService } from '../task-call.js';

/** The tool that conformance runners look for: in the local profile alone, and only over a practice market. */
export const testControllerTool = 'comply_test_controller';

/** What the doors say of it. */
export const testControllerWords =
  'For conformance runners, in the local profile alone: puts accounts, products, creatives and media buys of the caller into states at the sandbox seller.';

/** States that can be forced there, as far as capabilities have names for them: seeding and the arms of a buy have none. */
export const rehearsedStates: readonly string[] = [
  'force_account_status',
  'force_creative_status',
  'force_media_buy_status',
  'simulate_delivery',
  'simulate_budget_spend',
];

/** The practice market, put into the states that a rehearsal needs. */
export interface TestController {
  /**
   * Does what `comply_test_controller` asks, at the practice seller that rehearses and by tasks of ours, which are called
   * as the caller. Refusals are answers of that tool (`success: false` with `error` and `error_detail`), never errors of
   * a task.
   */
  perform(
    caller: PrincipalCaller,
    args: JsonObject,
    tasks: TaskService,
    signal: AbortSignal,
  ): Promise<JsonObject>;
  /** True where one of these live connections is to a seller that rehearses. */
  isReady(live: readonly Connection[]): boolean;
  /**
   * The same arguments in our own words: the seller in front of every product id that was seeded through here
   * (docs/protocol/requests-and-versions.md#ids), and our own ids for the names that a rehearsal gave to tasks, buys
   * and accounts.
   */
  withLocalNames(caller: Caller, args: JsonObject): JsonObject;
  /** The answer to a task, with the names that its caller's rehearsal gave to what it is about. */
  withTestNames(caller: Caller, task: string, reply: TaskReply): TaskReply;
}
