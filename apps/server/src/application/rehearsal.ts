import type { Connection } from '@switchyard/sellers';
import type { JsonObject } from '@switchyard/values';
import type { PrincipalCaller } from './task-call.js';

/** The tool that conformance runners look for: in the local profile alone, and only over a practice market. */
export const rehearsalTool = 'comply_test_controller';

/** States that can be forced there, as capabilities name them; seeding has no name among those. */
export const rehearsedStates: readonly string[] = ['force_media_buy_status', 'simulate_delivery'];

/** The practice market, put into the states that a rehearsal needs. */
export interface Rehearsal {
  /**
   * Does what `comply_test_controller` asks at the practice seller that rehearses, and answers what that said.
   * Refusals are answers of that tool (`success: false` with `error` and `error_detail`), never errors of a task.
   */
  perform(caller: PrincipalCaller, args: JsonObject, signal: AbortSignal): Promise<JsonObject>;
  /** True where one of these live connections is to a seller that rehearses. */
  isReady(live: readonly Connection[]): boolean;
  /** The same arguments with the seller in front of every product id that was seeded through here (ruling 36). */
  named(organizationId: string, args: JsonObject): JsonObject;
}
