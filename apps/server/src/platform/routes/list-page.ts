import { createHash } from 'node:crypto';
import { isInvalidValue } from '@switchyard/store';
import {
  canonicalJson,
  err,
  isJsonObject,
  isStorableText,
  ok,
  type JsonValue,
  type PageRead,
  type Result,
  type SortKey,
} from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../failure.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';
import { limitUpTo } from './fields.js';

/** Query members of every list in pages; spread them into its schema. */
export const pageQuery = {
  cursor: z.string().max(2000).exactOptional().describe('`next_cursor` of the page before.'),
  limit: limitUpTo(500).exactOptional().describe('Rows of a page, 100 unless set.'),
};

/** Answer member of every list in pages; absent on the last page. */
export const nextCursor = z.string().exactOptional();

interface PageQuery {
  readonly cursor?: string;
  readonly limit?: number;
}

interface ListPage<Row> {
  readonly rows: readonly Row[];
  readonly next: { readonly next_cursor?: string };
}

/**
 * One page of a list, by keyset: `read` selects the rows after a sort key, so the hundredth page costs as much as the
 * first. It gets one row more than is shown, to see whether another page follows.
 *
 * A cursor is valid only for the list, caller and filters that it was made for; otherwise `INVALID_REQUEST`.
 */
export async function listPage<Row>(
  list: {
    readonly id: string;
    readonly caller: Pick<PrincipalCaller, 'organizationId' | 'principalId'>;
    readonly query: PageQuery;
  },
  read: (page: PageRead) => Promise<readonly Row[]>,
  keyOf: (row: Row) => SortKey,
): Promise<Result<ListPage<Row>, AdminFailure>> {
  const { cursor, limit = 100, ...filter } = list.query;
  const walk = [list.id, list.caller.organizationId, list.caller.principalId, filter as JsonValue];
  const after = cursor === undefined ? undefined : readCursor(cursor, walk);
  if (cursor !== undefined && after === undefined) return err(wrongCursor);
  const found = await read({ limit: limit + 1, ...(after && { after }) }).catch((error: unknown) => {
    if (after === undefined || !isInvalidValue(error)) throw error;
    return undefined;
  });
  if (found === undefined) return err(wrongCursor);
  const rows = found.slice(0, limit);
  const last = rows.at(-1);
  const hasMore = found.length > limit && last !== undefined;
  return ok({ rows, next: hasMore ? { next_cursor: writeCursor(keyOf(last), walk) } : {} });
}

const wrongCursor: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'The cursor does not belong to this list with these filters.',
  field: 'cursor',
  suggestion: 'Start again without a cursor, and keep the filters the same from page to page.',
};

function writeCursor(key: SortKey, walk: readonly JsonValue[]): string {
  return Buffer.from(JSON.stringify({ k: key, h: digest(key, walk) }), 'utf8').toString('base64url');
}

function readCursor(text: string, walk: readonly JsonValue[]): SortKey | undefined {
  const cursor = parsed(text);
  if (!isJsonObject(cursor) || !Array.isArray(cursor['k'])) return undefined;
  const key = cursor['k'].filter(isPlace);
  return key.length > 0 && cursor['h'] === digest(key, walk) ? key : undefined;
}

/** JSON has numbers that a double does not hold (`1e400`), and texts that no column holds. */
function isPlace(value: JsonValue): value is string | number {
  return typeof value === 'string' ? isStorableText(value) : Number.isFinite(value);
}

function digest(key: SortKey, walk: readonly JsonValue[]): string {
  const text = canonicalJson([[...key], [...walk]]);
  return createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22);
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as JsonValue;
  } catch {
    return null;
  }
}
