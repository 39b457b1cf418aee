import type { Agent, Caller } from './agent.js';
import type { JsonObject } from '../json.js';
import type { Outcome } from './outcome.js';
import type { TaskPush } from './seller-task.js';

/** What A2A adds to a call: its own task, and the registered address for it. */
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
  /** True if an answer is replayed by key. */
  readonly mutates: boolean;
  readonly inputSchema: JsonObject;
  run(agent: Agent, args: JsonObject, caller: Caller, native?: NativeCall): Outcome;
}
