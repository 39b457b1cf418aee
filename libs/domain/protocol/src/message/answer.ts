import { defined, err, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { Finding, Incomplete } from '../losses/finding.js';
import { taskError } from '../errors/task-error.js';
import type { TaskError } from '../errors/task-fault.js';
import type { Form } from '../versions/wire-profile.js';
import { is3x } from './form.js';
import { booleanAt, countAt, listAt, objectAt, objectsAt, textAt } from './pick.js';

/** The error for an answer without its required content: nothing of it is used. */
export function unusable(what: string): Result<never, readonly TaskError[]> {
  return err([taskError('INVALID_RESPONSE', `The seller's answer cannot be used: ${what}.`)]);
}

interface ListReading<T> {
  readonly items: readonly T[];
  readonly setAside: readonly Finding[];
}

/** Reads each item of a list member; returns the valid ones, and a finding for each other. */
export function readList<T>(
  payload: JsonObject,
  key: string,
  read: (item: JsonValue, pointer: string) => Result<T, Finding>,
): Result<ListReading<T>, readonly TaskError[]> {
  const list = listAt(payload, key);
  if (list === undefined) return unusable(`it has no list named ${key}`);
  const readings = list.map((item, index) => read(item, `/${key}/${index}`));
  return ok({
    items: readings.filter((reading) => reading.ok).map((reading) => reading.value),
    setAside: readings.filter((reading) => !reading.ok).map((reading) => reading.error),
  });
}

/** Reads the page of a seller's answer. The cursor is used only with `has_more`. */
export function readPage(payload: JsonObject): PageMark | undefined {
  const page = objectAt(payload, 'pagination');
  if (page === undefined) return undefined;
  const cursor = booleanAt(page, 'has_more') === true ? textAt(page, 'cursor') : undefined;
  return defined({ cursor, totalCount: countAt(page, 'total_count') });
}

/** Only 3.x has pages. */
export function projectPage(page: PageMark | undefined, to: Form): JsonObject {
  return page === undefined || !is3x(to) ? {} : { pagination: pageMembers(page) };
}

export function pageMembers({ cursor, totalCount }: PageMark): JsonObject {
  return defined({ has_more: cursor !== undefined, cursor, total_count: totalCount });
}

export function readIncomplete(payload: JsonObject): readonly Incomplete[] {
  return objectsAt(payload, 'incomplete').flatMap((item) => {
    const scope = textAt(item, 'scope');
    if (scope === undefined) return [];
    const description = textAt(item, 'description') ?? scope;
    return [{ scope, description, ...defined({ estimatedWait: objectAt(item, 'estimated_wait') }) }];
  });
}

/** The older forms do not have it: there the seller rows show what is missing. */
export function projectIncomplete(incomplete: readonly Incomplete[] | undefined, to: Form): JsonObject {
  if (incomplete === undefined || incomplete.length === 0 || !is3x(to)) return {};
  const known = incomplete.map(({ scope, description, estimatedWait }): JsonObject =>
    defined({
      // 3.0 has no scope for a feed.
      scope: scope === 'wholesale_feed' && to === '3.0' ? 'products' : scope,
      description,
      estimated_wait: estimatedWait,
    }),
  );
  return { incomplete: known };
}

/** Position in an answer of several pages; `cursor` is present while there are more. */
export interface PageMark {
  readonly cursor?: string;
  readonly totalCount?: number;
}
