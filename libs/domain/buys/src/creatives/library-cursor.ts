import { createHash } from 'node:crypto';
import { taskError, type ListCreativesRequest, type TaskError } from '@switchyard/protocol';
import { canonicalJson, err, isJsonObject, ok, type Instant, type Result } from '@switchyard/values';

/** The position in a paged read of the library: the last row, and when the read began. */
interface LibraryPlace {
  readonly value: string;
  readonly id: string;
  readonly asOf: Instant;
}

/**
 * Caller and request of a paged read: a cursor is valid only for these (docs/protocol/requests-and-versions.md#pages).
 */
interface Walk {
  readonly organizationId: string;
  readonly principalId: string;
  readonly request: Pick<ListCreativesRequest, 'filters' | 'sort'>;
}

export function writeCursor(place: LibraryPlace, walk: Walk): string {
  const { value, id, asOf } = place;
  const body = { v: value, i: id, t: asOf };
  return Buffer.from(JSON.stringify({ ...body, h: mark(body, walk) }), 'utf8').toString('base64url');
}

export function readCursor(text: string, walk: Walk): Result<LibraryPlace, TaskError> {
  const refused = err(
    taskError('INVALID_REQUEST', 'The cursor does not belong to this question.', {
      field: 'pagination.cursor',
      suggestion: 'Start again without a cursor, and keep filters and sort the same from page to page.',
    }),
  );
  const read = parsed(text);
  if (!isJsonObject(read)) return refused;
  const { v: value, i: id, t: asOf, h: hash } = read;
  if (typeof value !== 'string' || typeof id !== 'string' || typeof asOf !== 'number') return refused;
  // A later instant than that is none.
  if (!(asOf >= 0 && asOf <= 8.64e15)) return refused;
  return hash === mark({ v: value, i: id, t: asOf }, walk) ? ok({ value, id, asOf }) : refused;
}

function mark(body: Readonly<Record<string, string | number>>, walk: Walk): string {
  const { filters, sort } = walk.request;
  const bound = { body, filters, sort, organization: walk.organizationId, principal: walk.principalId };
  const text = canonicalJson(JSON.parse(JSON.stringify(bound)) as typeof body);
  return createHash('sha256').update(text, 'utf8').digest('base64url').slice(0, 22);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
