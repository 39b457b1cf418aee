import { createMediaBuy } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Caller, TaskReply } from '../tasks/task-call.js';

/** Names that one caller gave to tasks, in the order of giving. */
interface Names {
  /** Given, and not used by a buy yet. */
  readonly waiting: string[];
  /** The task behind each name that is used. */
  readonly taskOf: Map<string, string>;
}

/**
 * The names that rehearsals give to tasks of buys (`force_create_media_buy_arm`). The seller calls its own task so; ours
 * keeps its id, and is answered and asked for by the name as well. Kept per caller, for as long as this process lives.
 */
export class ForcedTasks {
  readonly #names = new Map<string, Names>();

  /** Takes down what the practice seller has agreed to. */
  note(caller: Caller, args: JsonObject): void {
    if (args['scenario'] !== 'force_create_media_buy_arm') return;
    const { arm, task_id: name } = paramsIn(args);
    if (arm !== 'submitted' || typeof name !== 'string') return;
    const key = keyOf(caller);
    const names = this.#names.get(key) ?? { waiting: [], taskOf: new Map<string, string>() };
    names.waiting.push(name);
    this.#names.set(key, names);
  }

  /** Whether this caller gave this name. */
  isOf(caller: Caller, name: JsonValue | undefined): boolean {
    const names = this.#names.get(keyOf(caller));
    if (typeof name !== 'string' || names === undefined) return false;
    return names.waiting.includes(name) || names.taskOf.has(name);
  }

  /** The answer with the name as its task's id, where it is a buy that is under way. */
  answered(caller: Caller, task: string, reply: TaskReply): TaskReply {
    const names = this.#names.get(keyOf(caller));
    const { taskId, body } = reply;
    if (names === undefined || task !== createMediaBuy.name || taskId === undefined) return reply;
    const known = [...names.taskOf].find(([, id]) => id === taskId)?.[0];
    const name = known ?? (reply.status === 'submitted' ? names.waiting.shift() : undefined);
    if (name === undefined) return reply;
    names.taskOf.set(name, taskId);
    return { ...reply, body: { ...body, task_id: name } };
  }

  /** The same arguments with the task's own id, where they ask for a task by its name. */
  meant(caller: Caller, args: JsonObject): JsonObject {
    const { task_id: name } = args;
    const taskId = typeof name === 'string' ? this.#names.get(keyOf(caller))?.taskOf.get(name) : undefined;
    return taskId === undefined ? args : { ...args, task_id: taskId };
  }
}

function keyOf(caller: Caller): string {
  return caller.kind === 'public' ? caller.organizationId : `${caller.organizationId} ${caller.principalId}`;
}

function paramsIn(args: JsonObject): JsonObject {
  const { params } = args;
  return isJsonObject(params) ? params : {};
}
