import type { JsonObject } from '@switchyard/values';
import { isJsonObject } from '@switchyard/values';

/** How to read an answer of several pages. */
export interface Pages<Answer> {
  /** Cursor of the next page; `undefined` on the last one. */
  readonly cursorOf: (answer: Answer) => string | undefined;
  readonly join: (sofar: Answer, next: Answer) => Answer;
}

/** All pages that were received as one answer, and whether they are complete. */
interface AllPages<Answer> {
  readonly answer: Answer;
  readonly isWhole: boolean;
}

/** Maximum pages per seller. */
const mostPages = 50;

/**
 * Reads the pages after the first one. If a page fails, returns what was received, marked as incomplete. A repeated
 * cursor ends the reading, because it would loop.
 */
export async function furtherPages<Answer>(
  pages: Pages<Answer>,
  first: Answer,
  args: JsonObject,
  query: (args: JsonObject) => Promise<Answer | undefined>,
): Promise<AllPages<Answer>> {
  let answer = first;
  let cursor = pages.cursorOf(first);
  const seen = new Set<string>();
  while (cursor !== undefined) {
    if (seen.has(cursor) || seen.size >= mostPages) return { answer, isWhole: false };
    seen.add(cursor);
    const requested = isJsonObject(args['pagination']) ? args['pagination'] : {};
    const next = await query({ ...args, pagination: { ...requested, cursor } });
    if (next === undefined) return { answer, isWhole: false };
    answer = pages.join(answer, next);
    cursor = pages.cursorOf(next);
  }
  return { answer, isWhole: true };
}
