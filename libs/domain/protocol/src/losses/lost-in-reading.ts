import { isJsonObject, type JsonObject } from '@switchyard/values';
import { answeredForm } from '../versions/answered-form.js';
import { answerCarriage } from './answer-carriage.js';
import { storedLists, withoutItems } from '../message/stored-items.js';
import type { Finding } from './finding.js';
import type { Original } from '../message/original.js';
import type { TaskSpec } from '../task-spec.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { lostPaths, findingsOfLost } from './lost-members.js';

/**
 * Returns members of a seller's answer that the internal model does not have: those that are missing when the answer is
 * written again in the seller's own form. Items stored with their seller's own object are skipped; their losses are
 * found when they are written for a buyer.
 */
export function lostInReading<Answer>(
  task: Pick<TaskSpec<never, Answer>, 'name' | 'projectAnswer'>,
  payload: JsonObject,
  answer: Answer,
  from: WireProfile,
): readonly Finding[] {
  const { [storedLists[task.name]?.list ?? '']: _items, ...rest } = payload;
  const modelled = withoutOriginals(withoutItems(task.name, answer as object)) as Answer;
  const profile = { ...from, form: answeredForm(payload, from) };
  return findingsOfLost(lostPaths(rest, task.projectAnswer(modelled, profile), answerCarriage(task.name)));
}

/** Keeps internal members only: sellers' own objects are not compared. */
function withoutOriginals(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutOriginals(item));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, inner]): [string, unknown] =>
    name === 'original' ? [name, bare(inner)] : [name, withoutOriginals(inner)],
  );
  return Object.fromEntries(entries);
}

/** The original of a row of figures is the row itself, which is sent on completely. */
function bare(original: unknown): unknown {
  const isMarked = isJsonObject(original) && typeof original['form'] === 'string' && 'value' in original;
  return isMarked ? ({ form: 'ours', value: {} } satisfies Original) : original;
}
