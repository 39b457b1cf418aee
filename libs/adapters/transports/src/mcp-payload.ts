import { exceedsBounds, isJsonObject, type JsonObject } from '@switchyard/values';
import { answerBounds } from './exchange.js';

/** Characters of a seller's text that are kept beside an error without other details. */
const keptText = 500;

/**
 * The task's answer in a tool result: `structuredContent`, else the first text part that holds a JSON object, bare or
 * in a code fence. `undefined` if there is none. The plain text of a tool error becomes its message, cleaned before it
 * is cut.
 */
export function mcpPayload(
  result: JsonObject,
  clean: (prose: string) => string = (prose) => prose,
): JsonObject | undefined {
  if (isJsonObject(result['structuredContent'])) return result['structuredContent'];
  const texts = textsIn(result['content']);
  for (const text of texts) {
    const payload = jsonObjectIn(text);
    if (payload !== undefined) return payload;
  }
  if (result['isError'] !== true) return undefined;
  return { message: clean(texts[0] ?? '').slice(0, keptText) };
}

/** A JSON object in a text: the text itself, or the content of its first code fence. */
export function jsonObjectIn(text: string): JsonObject | undefined {
  const fence = /```(?:json)?[^\S\n]*\n([\s\S]*?)\n?```/i.exec(text)?.[1];
  for (const candidate of fence === undefined ? [text] : [text, fence]) {
    if (!candidate.trimStart().startsWith('{') || exceedsBounds(candidate, answerBounds)) continue;
    try {
      const parsed: unknown = JSON.parse(candidate);
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
