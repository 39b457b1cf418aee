import { createHash } from 'node:crypto';
import { taskError, type TaskError } from '@switchyard/protocol';
import {
  canonicalJson,
  err,
  isJsonObject,
  ok,
  type Instant,
  type JsonObject,
  type Result,
} from '@switchyard/values';

/** The position in a list: how many items were shown, and the time when paging began. */
export interface Page {
  readonly offset: number;
  readonly asOf: Instant;
  /** Id of the last shown item, in lists from which items disappear between two pages. */
  readonly after?: string;
  /** Its sort value when it was shown, and its time of creation, if an order can be chosen. */
  readonly by?: readonly [value: string, createdAt: Instant];
}

/** Owner and query of a list: a cursor is valid only for these (docs/protocol/requests-and-versions.md#pages). */
export interface Walk {
  readonly organizationId: string;
  readonly principalId: string;
  readonly task: string;
  /** The parsed filters and order. */
  readonly question: object;
}

export function writePage(page: Page, walk: Walk): string {
  const body = bodyOf(page);
  return Buffer.from(JSON.stringify({ ...body, h: mark(body, walk) }), 'utf8').toString('base64url');
}

export function readPage(cursor: string, walk: Walk): Result<Page, TaskError> {
  const read = parsed(cursor);
  if (isJsonObject(read)) {
    const { o: offset, t: asOf, a: after, b: by, h: hash } = read;
    if (isCount(offset) && isCount(asOf)) {
      const page: Page = {
        offset,
        asOf,
        ...(typeof after === 'string' ? { after } : {}),
        ...(isSorting(by) ? { by } : {}),
      };
      if (hash === mark(bodyOf(page), walk)) return ok(page);
    }
  }
  return err(wrongCursor);
}

/** For a cursor that was not made for the request, or that holds values which are none of its list. */
export const wrongCursor = taskError('INVALID_REQUEST', 'The cursor does not belong to this request.', {
  field: 'pagination.cursor',
  suggestion: 'Start again without a cursor, and keep filters and sort the same from page to page.',
});

/** The latest instant of a `Date` is the largest count. */
function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= 8.64e15;
}

function bodyOf({ offset, asOf, after, by }: Page) {
  return {
    o: offset,
    t: asOf,
    ...(after === undefined ? {} : { a: after }),
    ...(by === undefined ? {} : { b: by }),
  };
}

function isSorting(by: unknown): by is NonNullable<Page['by']> {
  return Array.isArray(by) && by.length === 2 && typeof by[0] === 'string' && isCount(by[1]);
}

function mark(body: ReturnType<typeof bodyOf>, walk: Walk): string {
  const bound = JSON.parse(JSON.stringify({ body, walk })) as JsonObject;
  return createHash('sha256').update(canonicalJson(bound), 'utf8').digest('base64url').slice(0, 22);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
