import { createMediaBuy } from '@switchyard/protocol';
import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Caller, TaskReply } from '../platform/tasks/call/task-call.js';

/** Names that one caller gave to tasks, in that order. */
interface Names {
  /** Given, and not yet used by a buy. */
  readonly waiting: string[];
  /** The task of each used name. */
  readonly taskOf: Map<string, string>;
}

/**
 * Names that conformance runs give to tasks of buys (`force_create_media_buy_arm`). The seller uses the name as its own
 * task id; our task keeps its id, and can be read by the name as well. Per caller, in the memory of this process.
 */
export class ForcedTasks {
  readonly #names = new Map<string, Names>();

  /** Stores a name that the sandbox seller has accepted. */
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

  /** The answer with the name as its task's id, if it is a buy in progress. */
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

  /** The same arguments with the task's own id, if they name a task by a given name. */
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
