import type { Agent, Caller } from './agent.js';
import type { JsonObject } from '../json.js';
import type { Outcome } from './outcome.js';
import type { TaskPush } from './seller-task.js';

/** What the A2A door adds to a call: its own task, and where that task's news were asked for. */
export interface NativeCall {
  readonly task: { readonly taskId: string; readonly contextId: string };
  readonly push?: TaskPush;
}

/** One task that an agent serves. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** `public` tasks are answered without credentials; a wrong credential is refused everywhere. */
  readonly access: 'public' | 'credentials';
  /** Replayed by key when true. */
  readonly mutates: boolean;
  readonly inputSchema: JsonObject;
  run(agent: Agent, args: JsonObject, caller: Caller, native?: NativeCall): Outcome;
}
