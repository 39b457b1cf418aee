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

/** Where a walk through a list stands: how many were shown, and as of when it began. */
export interface Page {
  readonly offset: number;
  readonly asOf: Instant;
}

/** Whose walk it is and through what: a cursor is good for this alone (tasks 3.20). */
export interface Walk {
  readonly organizationId: string;
  readonly principalId: string;
  readonly task: string;
  /** Filters and order, as they were read. */
  readonly question: object;
}

export function writePage(page: Page, walk: Walk): string {
  const body = { o: page.offset, t: page.asOf };
  return Buffer.from(JSON.stringify({ ...body, h: mark(body, walk) }), 'utf8').toString('base64url');
}

export function readPage(cursor: string, walk: Walk): Result<Page, TaskError> {
  const read = parsed(cursor);
  if (isJsonObject(read)) {
    const { o: offset, t: asOf, h: hash } = read;
    const isPage = typeof offset === 'number' && typeof asOf === 'number';
    if (isPage && hash === mark({ o: offset, t: asOf }, walk)) return ok({ offset, asOf });
  }
  return err(
    taskError('INVALID_REQUEST', 'The cursor does not belong to this question.', {
      field: 'pagination.cursor',
      suggestion: 'Start again without a cursor, and keep filters and sort the same from page to page.',
    }),
  );
}

function mark(body: { readonly o: number; readonly t: number }, walk: Walk): string {
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
