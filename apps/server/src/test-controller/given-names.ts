import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';
import type { Caller, TaskReply } from '../platform/tasks/call/task-call.js';

type Named = 'account' | 'media_buy';

/** The members that hold ids of each kind. */
const members: Readonly<Record<string, Named>> = {
  account_id: 'account',
  media_buy_id: 'media_buy',
  media_buy_ids: 'media_buy',
};

interface Names {
  readonly idOf: Map<string, string>;
  readonly nameOf: Map<string, string>;
}

/**
 * Names that conformance runs give to what they seed. Another caller could choose the same id, so our id is unchanged,
 * and only the caller that gave a name can use it. In the memory of this process.
 */
export class GivenNames {
  readonly #names = new Map<string, Names>();

  give(caller: Caller, kind: Named, name: string, id: string): void {
    const key = keyOf(caller);
    const names = this.#names.get(key) ?? {
      idOf: new Map<string, string>(),
      nameOf: new Map<string, string>(),
    };
    names.idOf.set(`${kind} ${name}`, id);
    names.nameOf.set(`${kind} ${id}`, name);
    this.#names.set(key, names);
  }

  /** The id behind a name of this caller; any other text is returned as the id itself. */
  idOf(caller: Caller, kind: Named, name: string): string {
    return this.#names.get(keyOf(caller))?.idOf.get(`${kind} ${name}`) ?? name;
  }

  isGiven(caller: Caller, kind: Named, name: string): boolean {
    return this.#names.get(keyOf(caller))?.idOf.has(`${kind} ${name}`) === true;
  }

  /** The same arguments with our ids. */
  meant(caller: Caller, args: JsonObject): JsonObject {
    const names = this.#names.get(keyOf(caller));
    return names === undefined ? args : replaced(args, names.idOf);
  }

  /** The same answer with the names that its caller gave. */
  answered(caller: Caller, reply: TaskReply): TaskReply {
    const names = this.#names.get(keyOf(caller));
    return names === undefined ? reply : { ...reply, body: replaced(reply.body, names.nameOf) };
  }
}

/** `context` and `ext` belong to the buyer: nothing in them is an id of ours. */
function replaced(body: JsonObject, by: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => [
      name,
      name === 'context' || name === 'ext' ? value : replacedIn(name, value, by),
    ]),
  );
}

function replacedIn(name: string, value: JsonValue, by: ReadonlyMap<string, string>): JsonValue {
  if (typeof value === 'string')
    return Object.hasOwn(members, name) ? (by.get(`${members[name] ?? ''} ${value}`) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => replacedIn(name, item, by));
  return isJsonObject(value) ? replaced(value, by) : value;
}

function keyOf(caller: Caller): string {
  return caller.kind === 'public' ? caller.organizationId : `${caller.organizationId} ${caller.principalId}`;
}
