import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { Caller, PrincipalCaller, TaskReply } from './task-call.js';

/** The tool that conformance runners look for: in the local profile alone, and only over a practice market. */
export const rehearsalTool = 'comply_test_controller';

/** States that can be forced there, as far as capabilities have names for them: seeding and the arms of a buy have none. */
export const rehearsedStates: readonly string[] = [
  'force_media_buy_status',
  'simulate_delivery',
  'simulate_budget_spend',
];

/** The practice market, put into the states that a rehearsal needs. */
export interface Rehearsal {
  /**
   * Does what `comply_test_controller` asks at the practice seller that rehearses, and answers what that said.
   * Refusals are answers of that tool (`success: false` with `error` and `error_detail`), never errors of a task.
   */
  perform(caller: PrincipalCaller, args: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** True where one of these live connections is to a seller that rehearses. */
  isReady(live: readonly Connection[]): boolean;
  /**
   * The same arguments in our own words: the seller in front of every product id that was seeded through here (ruling
   * 36), and the task's own id for the name that a rehearsal gave it.
   */
  named(caller: Caller, args: JsonObject): JsonObject;
  /** The answer to a task, under the name that a rehearsal gave it where it was to be taken in and no more. */
  answered(caller: Caller, task: string, reply: TaskReply): TaskReply;
}
