import { randomBytes } from 'node:crypto';
import { answerIdOf, openCursor, writeCursor, type StoredAnswer } from '@switchyard/fanout';
import { taskError } from '@switchyard/protocol';
import { isJsonObject, type JsonObject } from '@switchyard/values';
import type { Handled, HandledCall, HandlerDeps } from '../platform/tasks/call/handler.js';
import { storedAnswer, readStoredAnswer } from '../platform/tasks/answer/stored-answer.js';
import { questionHash } from './question-hash.js';

/** How long a buyer may take for all pages, in milliseconds. */
const retainedForMs = 30 * 60_000;
/** The page size of 3.x if none is named. */
const usualPage = 50;

type Done = Extract<Handled, { kind: 'done' }>;
type Paged = HandledCall<{ readonly cursor?: string }>;

/**
 * An answer, or its first page if the buyer asked for pages: the whole answer is stored, so that every page is cut from
 * the same one, whatever sellers do meanwhile. Without `pagination` it is sent whole.
 */
export async function firstPage(
  deps: HandlerDeps,
  handled: Paged,
  list: string,
  completeAnswer: Done,
): Promise<Handled> {
  const size = pageSizeOf(handled.args);
  const items = completeAnswer.payload[list];
  const { answers, ports } = deps;
  if (size === undefined || !Array.isArray(items)) return completeAnswer;
  if (items.length <= size || answers === undefined)
    return page(completeAnswer, list, { offset: 0, size: items.length });
  const now = ports.clock.now();
  const stored: StoredAnswer = {
    id: ports.ids.uuid(),
    task: handled.spec.name,
    requestHash: questionHash(handled),
    answer: textOf(storedAnswer(completeAnswer)),
    cursorKey: randomBytes(32),
    expiresAt: now + retainedForMs,
    ...(handled.principal === undefined ? {} : { principalId: handled.principal.principalId }),
  };
  await answers.store(handled.scope, stored, now);
  return page(completeAnswer, list, { offset: 0, size }, stored);
}

/** A later page of a stored answer. A foreign, a changed and an expired cursor get the same error. */
export async function nextPage(deps: HandlerDeps, handled: Paged, list: string): Promise<Handled> {
  const { answers, ports } = deps;
  const cursor = handled.request.cursor ?? '';
  const id = answerIdOf(cursor);
  const stored = id === undefined ? undefined : await answers?.find(handled.scope, id, ports.clock.now());
  const place = stored === undefined ? undefined : openCursor(cursor, stored.cursorKey);
  const completeAnswer = stored === undefined ? undefined : readStoredAnswer({ text: stored.answer });
  const isOwn =
    stored?.task === handled.spec.name &&
    stored.principalId === handled.principal?.principalId &&
    stored.requestHash === questionHash(handled);
  if (place === undefined || stored === undefined || completeAnswer === undefined || !isOwn) {
    const error = taskError('INVALID_REQUEST', 'This cursor is unknown or has expired.', {
      field: 'pagination.cursor',
      suggestion:
        'Repeat the request without a cursor, and send a cursor only with the request that it came from.',
    });
    return { kind: 'failed', errors: [error] };
  }
  return page(
    completeAnswer,
    list,
    { offset: place.offset, size: pageSizeOf(handled.args) ?? usualPage },
    stored,
  );
}

function page(
  completeAnswer: Done,
  list: string,
  { offset, size }: { readonly offset: number; readonly size: number },
  stored?: StoredAnswer,
): Done {
  const items = completeAnswer.payload[list];
  if (!Array.isArray(items)) return completeAnswer;
  const next = offset + size;
  const pagination: JsonObject =
    stored !== undefined && next < items.length
      ? {
          has_more: true,
          cursor: writeCursor({ answerId: stored.id, offset: next }, stored.cursorKey),
          total_count: items.length,
        }
      : { has_more: false, total_count: items.length };
  return {
    ...completeAnswer,
    payload: { ...completeAnswer.payload, [list]: items.slice(offset, next), pagination },
  };
}

/** The size of a page, if pages were requested. */
function pageSizeOf({ pagination }: JsonObject): number | undefined {
  if (!isJsonObject(pagination)) return undefined;
  const { max_results: size } = pagination;
  return typeof size === 'number' ? size : usualPage;
}

function textOf({ text }: JsonObject): string {
  return typeof text === 'string' ? text : '{}';
}
