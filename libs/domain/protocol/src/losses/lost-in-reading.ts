import { isJsonObject, type JsonObject } from '@switchyard/values';
import { answeredForm } from '../versions/seller-form.js';
import { answerCarriage } from './answer-carriage.js';
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

/** An item of an answer with its seller's original object. */
interface StoredItem {
  readonly original: Original;
  /** Slug. */
  readonly seller?: string;
}

interface StoredList {
  /** Its name in the internal shape. */
  readonly member: string;
  /** Its name on the wire. */
  readonly list: string;
  /** Set if members of an item are written again even in the item's own form. */
  readonly isRewritten?: true;
}

/** The lists whose items keep their sellers' own objects, by task. */
export const storedLists: Readonly<Record<string, StoredList>> = {
  get_products: { member: 'products', list: 'products' },
  get_signals: { member: 'signals', list: 'signals', isRewritten: true },
  list_creative_formats: { member: 'formats', list: 'formats' },
};

/** The item list of a task's answer, by its wire and internal names; `undefined` where there is none. */
export function listOfItems(task: string): Pick<StoredList, 'list' | 'member'> | undefined {
  return storedLists[task];
}

/** The items of an answer that keep the original; empty where the task has none. */
export function storedItems(task: string, answer: object): readonly StoredItem[] {
  const stored = storedLists[task];
  if (stored === undefined) return [];
  return ((answer as Readonly<Record<string, unknown>>)[stored.member] ?? []) as readonly StoredItem[];
}

/** The answer without those items: small, whatever their number. */
function withoutItems<Answer extends object>(task: string, answer: Answer): Answer {
  const stored = storedLists[task];
  return stored === undefined ? answer : { ...answer, [stored.member]: [] };
}
