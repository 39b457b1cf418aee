import { isJsonObject, type JsonObject } from '@switchyard/values';
import { answeredForm } from '../versions/answered-form.js';
import { answerCarriage } from './answer-carriage.js';
import { storedLists, withoutItems } from '../message/stored-items.js';
import type { Finding } from './finding.js';
import type { Original } from '../message/original.js';
import type { TaskSpec } from '../task-spec.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { lostPaths, received } from './lost-members.js';

/**
 * What a seller's answer says that the house has no place for, whatever form it is told in later: what does not come
 * out again where the answer is written in the seller's own form. Items that keep their seller's own object are left
 * out here; of them it is told where they are written for a buyer.
 */
export function lostInReading<Answer>(
  task: Pick<TaskSpec<never, Answer>, 'name' | 'projectAnswer'>,
  payload: JsonObject,
  answer: Answer,
  from: WireProfile,
): readonly Finding[] {
  const { [storedLists[task.name]?.list ?? '']: _items, ...rest } = payload;
  const held = withoutOriginals(withoutItems(task.name, answer as object)) as Answer;
  const profile = { ...from, form: answeredForm(payload, from) };
  return received(lostPaths(rest, task.projectAnswer(held, profile), answerCarriage(task.name)));
}

/** Internal members only: the rest of a seller's own object is not compared. */
function withoutOriginals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutOriginals(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] =>
    name === 'original' ? [name, bare(inner)] : [name, withoutOriginals(inner)],
  );
  return Object.fromEntries(entries);
}

/** Of a row of figures the object is the row itself, and all of it goes on. */
function bare(original: unknown): unknown {
  const isMarked = isJsonObject(original) && typeof original['form'] === 'string' && 'value' in original;
  return isMarked ? ({ form: 'ours', value: {} } satisfies Original) : original;
}
