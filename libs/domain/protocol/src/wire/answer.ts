import { err, ok, type JsonObject, type JsonValue, type Result } from '@switchyard/values';
import type { Finding, TaskError } from '../model.js';
import { taskError } from '../task-error.js';
import { listAt } from './pick.js';

/** The answer lacks what makes it one: nothing of it can be used. */
export function unusable(what: string): Result<never, readonly TaskError[]> {
  return err([taskError('INVALID_RESPONSE', `The seller's answer cannot be used: ${what}.`)]);
}

export interface ListReading<T> {
  readonly items: readonly T[];
  readonly setAside: readonly Finding[];
}

/** Reads each item of a list member, keeps those that conform and tells why the others do not. */
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
