import { type Message, TaskState, type SendMessageResult, type Task } from '@a2a-js/sdk';
import type { SellerAnswer } from '@switchyard/sellers';
import { isJsonObject, type JsonObject, membersWithin, parseInSlices } from '@switchyard/values';
import { answerBounds, longAnswer } from './exchange.js';

type Part = Message['parts'][number];

const stateWords: Readonly<Partial<Record<TaskState, string>>> = {
  [TaskState.TASK_STATE_SUBMITTED]: 'submitted',
  [TaskState.TASK_STATE_WORKING]: 'working',
  [TaskState.TASK_STATE_COMPLETED]: 'completed',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'canceled',
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'input-required',
  [TaskState.TASK_STATE_REJECTED]: 'rejected',
  [TaskState.TASK_STATE_AUTH_REQUIRED]: 'auth-required',
};

const failedStates: ReadonlySet<string | undefined> = new Set(['failed', 'rejected']);
const finalStates: ReadonlySet<string | undefined> = new Set(['completed', 'failed', 'rejected', 'canceled']);

/**
 * Reads a message or a task as one answer (docs/protocol/requests-and-versions.md#transports), in slices: final data is
 * the last data part of the first artifact, interim data the first data part of the status message. A task without data
 * still has a state; a message without data is unreadable: `undefined`. `too_large` if the call has no more room.
 */
export function* a2aAnswer(
  result: SendMessageResult,
  mayRead?: MayRead,
): Generator<void, SellerAnswer | 'too_large' | undefined> {
  if (!isTask(result)) {
    const read = yield* readParts(result.parts.map(contentOf), mayRead);
    if (read === 'too_large') return read;
    const [payload] = read.data;
    if (payload === undefined || isWrapper(payload)) return undefined;
    return { payload, isError: false, a2a: idsOf(result.taskId, result.contextId, undefined) };
  }
  const state = result.status === undefined ? undefined : stateWords[result.status.state];
  const final = yield* readParts((result.artifacts[0]?.parts ?? []).map(contentOf), mayRead);
  const reported = yield* readParts((result.status?.message?.parts ?? []).map(contentOf), mayRead);
  if (final === 'too_large' || reported === 'too_large') return 'too_large';
  const artifact = final.data.at(-1);
  const [interim] = reported.data;
  const payload = finalStates.has(state) ? (artifact ?? interim) : (interim ?? artifact);
  if (payload !== undefined && isWrapper(payload)) return undefined;
  // A completed task without data has no answer; a task in progress may have none yet.
  if (payload === undefined && state === 'completed') return undefined;
  return {
    payload: withText(payload ?? {}, reported.text),
    isError: failedStates.has(state),
    a2a: idsOf(result.id, result.contextId, state),
  };
}

/**
 * Whether data are only the wrapper of a framework around an answer. The answer stands in the data itself: to read into
 * a wrapper, or to take it for an answer without members, would both be guesses.
 */
function isWrapper(payload: JsonObject): boolean {
  const { response, ...others } = payload;
  return isJsonObject(response) && Object.keys(others).length === 0;
}

function isTask(result: SendMessageResult): result is Task {
  return 'artifacts' in result;
}

/** Adds a seller's plain text beside its data as `message`, the protocol's member for it. */
export function withText(payload: JsonObject, text: string | undefined): JsonObject {
  return text === undefined || typeof payload['message'] === 'string'
    ? payload
    : { ...payload, message: text };
}

/** What a part of a message holds: data, or text. */
interface PartContent {
  readonly data?: unknown;
  readonly text?: unknown;
}

/** Parts of a message that are read. Each may look like JSON and be none, which takes far longer than its length. */
const mostParts = 1_000;

interface ReadParts {
  /** Objects in the parts, in order: data, or JSON in a text. */
  readonly data: readonly JsonObject[];
  /** The other texts together, cut. */
  readonly text?: string;
}

export function* readParts(
  parts: readonly PartContent[],
  mayRead?: MayRead,
): Generator<void, ReadParts | 'too_large'> {
  if (parts.length > mostParts) return 'too_large';
  const data: JsonObject[] = [];
  const texts: string[] = [];
  for (const part of parts) {
    if (isJsonObject(part.data)) data.push(part.data);
    else if (typeof part.text === 'string' && part.text !== '') {
      const object = yield* jsonObjectIn(part.text, mayRead);
      if (object === 'too_large') return object;
      if (object === undefined) texts.push(part.text);
      else data.push(object);
    }
  }
  return { data, ...(texts.length === 0 ? {} : { text: texts.join(' ').slice(0, 2_000) }) };
}

function contentOf({ content }: Part): PartContent {
  if (content?.$case === 'data') return { data: content.value };
  return content?.$case === 'text' ? { text: content.value } : {};
}

function idsOf(
  taskId: string,
  contextId: string,
  state: string | undefined,
): NonNullable<SellerAnswer['a2a']> {
  return {
    ...(taskId === '' ? {} : { taskId }),
    ...(contextId === '' ? {} : { contextId }),
    ...(state === undefined ? {} : { state }),
  };
}

/** Characters of a seller's text that are kept beside an error without other details. */
const keptText = 500;

/** Whether a long text with this many members may be read; `mayRead` of the call. */
type MayRead = (members: number) => boolean;

/** An object in a text, and whether one was left because the call has no more room. */
type InText = JsonObject | 'too_large' | undefined;

/**
 * The task's answer in a tool result, in slices: `structuredContent`, else the first text part that holds a JSON object,
 * bare or in a code fence. `undefined` if there is none, `too_large` if the call has no more room for it. The plain text
 * of a tool error becomes its message, cleaned before it is cut.
 */
export function* mcpPayload(
  result: JsonObject,
  clean: (prose: string) => string = (prose) => prose,
  mayRead?: MayRead,
): Generator<void, InText> {
  if (isJsonObject(result['structuredContent'])) return result['structuredContent'];
  const texts = textsIn(result['content']);
  if (texts.length > mostParts) return 'too_large';
  for (const text of texts) {
    const payload = yield* jsonObjectIn(text, mayRead);
    if (payload !== undefined) return payload;
  }
  if (result['isError'] !== true) return undefined;
  return { message: clean(texts[0] ?? '').slice(0, keptText) };
}

/** A JSON object in a text, read in slices: the text itself, or the content of its first code fence. */
export function* jsonObjectIn(text: string, mayRead?: MayRead): Generator<void, InText> {
  const fence = /```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```/i.exec(text)?.[1];
  for (const candidate of fence === undefined ? [text] : [text, fence]) {
    if (!candidate.trimStart().startsWith('{')) continue;
    const members = membersWithin(candidate, answerBounds);
    if (members === undefined) continue;
    if (candidate.length > longAnswer) {
      if (mayRead?.(members) === false) return 'too_large';
      yield;
    }
    try {
      const parsed: unknown = yield* parseInSlices(candidate);
      if (isJsonObject(parsed)) return parsed;
    } catch {
      // Plain text that starts with a brace.
    }
  }
  return undefined;
}

function textsIn(content: unknown): string[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) =>
    isJsonObject(part) && part['type'] === 'text' && typeof part['text'] === 'string' ? [part['text']] : [],
  );
}
