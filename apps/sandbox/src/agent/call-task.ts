import { createHash } from 'node:crypto';
import type { Agent, Caller } from './agent.js';
import type { Replay } from '../buys/books-entry.js';
import type { BooksEntry } from '../buys/books-entry.js';
import { deliver } from '../delivery/deliver.js';
import { followTask } from './follow-task.js';
import { compact, objectOf, sortedText, textOf, type JsonObject, isObject, type Json } from '../json.js';
import { refusal, refusalBody, type Outcome } from './outcome.js';
import { proveSubscribers } from '../accounts/accounts-tasks.js';
import { notifyVerdict } from '../webhooks/notify-verdict.js';
import type { NativeCall, Tool } from './tool.js';

/** A task's answer on the wire. */
export interface Answer {
  readonly status: 'completed' | 'submitted' | 'input-required' | 'failed';
  readonly body: JsonObject;
}

const named = new Set(['api_key', 'client_secret', 'bearer', 'authorization', 'jwk', 'jwks', 'jwks_uri']);

/**
 * Answers one call: scan, version, replay, run, write, and only then notify.
 *
 * Synchronous from the replay check to the written entry, so that of two equal requests one runs and the other replays.
 */
export function callTask(agent: Agent, { tool, args, caller, native }: ToolCall): Answer {
  const at = credentialIn(args);
  if (at !== undefined) {
    return failed(agent, args, [
      refusal('CREDENTIAL_IN_ARGS', 'a credential does not belong in the arguments', at),
    ]);
  }
  const major = args[agent.names.majorVersionField];
  if (agent.personality.form !== 'service' && major !== undefined && major !== 3) {
    return failed(agent, args, [
      refusal('VERSION_UNSUPPORTED', 'release 3 only', agent.names.majorVersionField),
    ]);
  }
  const key = tool.mutates ? replayKey(agent, tool, args) : undefined;
  const hash = createHash('sha256')
    .update(sortedText(meaningOf(args)))
    .digest('hex');
  const earlier = key === undefined ? undefined : agent.books.replays.get(key);
  if (earlier) return replayed(agent, args, earlier, hash);

  const outcome = tool.run(agent, args, caller, native);
  if (outcome.status === 'failed') return failed(agent, args, outcome.errors);
  const replay = key === undefined ? undefined : { key, hash, status: outcome.status, answer: outcome.body };
  keep(agent, outcome, replay);
  return { status: outcome.status, body: dressed(agent, args, outcome.status, outcome.body) };
}

/** The path of a credential in the arguments; undefined if there is none. */
function credentialIn(value: Json, path = ''): string | undefined {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      const found = credentialIn(item, `${path}[${String(index)}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isObject(value)) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    if (named.has(name) || name.endsWith('_access_token')) return at;
    const found = credentialIn(member, at);
    if (found !== undefined) return found;
  }
  return undefined;
}

function keep(
  agent: Agent,
  outcome: Exclude<Outcome, { status: 'failed' }>,
  replay: Replay | undefined,
): void {
  const entry: BooksEntry = { ...outcome.entry, ...(replay ? { replay } : {}) };
  if (Object.keys(entry).length === 0) return;
  agent.books.write(entry);
  for (const event of entry.events ?? []) agent.outbox.send(event);
  for (const buy of [entry.buy ?? [], entry.assigned ?? []].flat()) deliver(agent, buy);
  if (entry.task) followTask(agent, entry.task);
  for (const creative of entry.creatives ?? []) notifyVerdict(agent, creative);
  for (const account of entry.accounts ?? []) proveSubscribers(agent, account);
}

/** In the `service` form a buy's own reference is its key, because the form has no other. */
export function replayKey(agent: Agent, tool: Tool, args: JsonObject): string | undefined {
  if (!agent.personality.idempotent) return undefined;
  const given = textOf(args['idempotency_key']);
  if (given !== undefined) return `key ${given}`;
  const ref = tool.name === 'create_media_buy' ? textOf(args['buyer_ref']) : undefined;
  return ref === undefined ? undefined : `${tool.name} ${ref}`;
}

function replayed(agent: Agent, args: JsonObject, earlier: Replay, hash: string): Answer {
  if (earlier.hash !== hash) {
    const message = 'the key was used for another request';
    return failed(agent, args, [refusal('IDEMPOTENCY_CONFLICT', message, 'idempotency_key')]);
  }
  return {
    status: earlier.status,
    body: { ...dressed(agent, args, earlier.status, earlier.answer), replayed: true },
  };
}

/**
 * Release 3.1 has the task's status and the release beside every answer; a task's own members win. A buyer that does not
 * name the release looks for the state of a buy in `status`, where 3.0 has it: 3.1 lets both members say it.
 */
function dressed(agent: Agent, args: JsonObject, status: string, body: JsonObject): JsonObject {
  const { versionField } = agent.names;
  const envelope = agent.personality.form === '3.1' ? { [versionField]: '3.1', status } : {};
  const state = args[versionField] === undefined ? textOf(body['media_buy_status']) : undefined;
  return compact({
    ...envelope,
    ...body,
    ...(state === undefined ? {} : { status: state }),
    context: objectOf(args['context']),
  });
}

/** Errors twice: the list, and in the releases the fatal member of the dialect that client libraries read. */
function failed(
  agent: Agent,
  args: JsonObject,
  errors: Extract<Outcome, { status: 'failed' }>['errors'],
): Answer {
  const listed = errors.map(refusalBody);
  const release = agent.personality.form !== 'service';
  const body = compact({
    errors: listed,
    context: objectOf(args['context']),
    ...(release ? { [agent.names.fatalErrorMember]: listed[0] } : {}),
  });
  return { status: 'failed', body: agent.personality.form === '3.1' ? { ...body, status: 'failed' } : body };
}

/** What identifies a replay beside the key: opaque and transport members do not count. */
function meaningOf(args: JsonObject): JsonObject {
  return compact({ ...args, idempotency_key: undefined, context: undefined, governance_context: undefined });
}

/** One received call. */
export interface ToolCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly caller: Caller;
  readonly native?: NativeCall | undefined;
}
