import { isJsonObject, membersWithin, parseInSlices, type JsonObject } from '@switchyard/values';
import { answerBounds, longAnswer } from './exchange.js';

/** Characters of a seller's text that are kept beside an error without other details. */
const keptText = 500;

/** Whether a long text with this many members may be read; `mayRead` of the call. */
export type MayRead = (members: number) => boolean;

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
