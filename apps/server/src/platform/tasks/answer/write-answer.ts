import {
  lostInAnswer,
  type TaskSpec,
  type WireProfile,
  listOfItems,
  type AnswerLoss,
  projectError,
} from '@switchyard/protocol';
import { type JsonObject, slicesOf, weightOf, type JsonValue } from '@switchyard/values';
import { withOurs } from './extend-answer.js';
import type { SellerRefusal } from '@switchyard/buys';

/**
 * An answer in its caller's version, with findings about what that version cannot express: nothing is dropped silently.
 * Every answer to a buyer is written here, except our own capabilities, which lose nothing.
 */
export function writeAnswer<Answer extends object>(
  task: Pick<TaskSpec<never, Answer>, 'name' | 'projectAnswer'>,
  answer: Answer,
  profile: WireProfile,
): JsonObject {
  const written = task.projectAnswer(answer, profile);
  const findings = lostInAnswer(task.name, answer, written, profile.form).map(
    ({ seller, code, message, field }): JsonObject => ({
      ...(seller === undefined ? {} : { seller }),
      code,
      message,
      ...(field === undefined ? {} : { field }),
    }),
  );
  return withOurs(written, { findings }, profile);
}

/** The weight of items written in one turn of the event loop. */
const weightPerTurn = 8_000;
/** The most reported losses per seller. */
const mostLosses = 50;

export interface WrittenItems {
  readonly payload: JsonObject;
  /** Sellers whose items could not be written and are left out. */
  readonly failed: readonly string[];
}

/**
 * `writeAnswer` for an answer with a list of items of many sellers: a long list is written in slices, and an item that
 * cannot be written removes only its own seller's items.
 */
export function* writeItems<Answer extends object>(
  task: Pick<TaskSpec<never, Answer>, 'name' | 'projectAnswer'>,
  answer: Answer,
  profile: WireProfile,
): Generator<void, WrittenItems> {
  const { member = '', list = '' } = listOfItems(task.name) ?? {};
  const items = ((answer as Record<string, unknown>)[member] ?? []) as readonly Item[];
  if (weightOf(answer, weightPerTurn) <= weightPerTurn) {
    try {
      return { payload: writeAnswer(task, answer, profile), failed: [] };
    } catch {
      // The items are written again by seller, to find the one that failed.
    }
  }
  const shell = writeAnswer(task, { ...answer, [member]: [] }, profile);
  const losses = new Map<string, Map<string, AnswerLoss>>();
  const failed = new Set<string>();
  const places: JsonValue[][] = items.map(() => []);
  let done = weightPerTurn;
  for (const [seller, own] of bySeller(items)) {
    for (const slice of slicesOf(own, weightPerTurn, ({ item }) => weightOf(item, weightPerTurn))) {
      // Hundreds of sellers with one item each share a turn.
      done += slice.weight;
      if (done > weightPerTurn) {
        yield;
        done = slice.weight;
      }
      try {
        const some = { [member]: slice.items.map(({ item }) => item) } as Answer;
        const written = task.projectAnswer(some, profile);
        place(written[list], slice.items, places);
        for (const loss of lostInAnswer(task.name, some, written, profile.form)) note(loss, seller, losses);
      } catch {
        failed.add(seller);
        for (const { at } of own) places[at] = [];
        break;
      }
    }
  }
  const findings = [...losses.values()].flatMap((ofOne) => [...ofOne.values()].map(asFinding));
  const payload = withOurs({ ...shell, [list]: places.flat() }, { findings }, profile);
  return { payload, failed: [...failed] };
}

interface Item {
  readonly seller?: string;
}

/** An item and its index in the whole list. */
interface Placed {
  readonly item: Item;
  readonly at: number;
}

function bySeller(items: readonly Item[]): ReadonlyMap<string, readonly Placed[]> {
  const grouped = new Map<string, Placed[]>();
  for (const [at, item] of items.entries()) {
    const own = grouped.get(item.seller ?? '') ?? [];
    grouped.set(item.seller ?? '', own);
    own.push({ item, at });
  }
  return grouped;
}

function place(written: JsonValue | undefined, items: readonly Placed[], places: JsonValue[][]): void {
  for (const [index, value] of (Array.isArray(written) ? written : []).entries())
    places[items[index]?.at ?? items[0]?.at ?? 0]?.push(value);
}

function note(loss: AnswerLoss, seller: string, losses: Map<string, Map<string, AnswerLoss>>): void {
  const own = losses.get(seller) ?? new Map<string, AnswerLoss>();
  losses.set(seller, own);
  if (own.size < mostLosses) own.set(loss.field ?? loss.message, loss);
}

function asFinding({ seller, code, message, field }: AnswerLoss): JsonObject {
  const finding = { seller, code, message, field };
  return Object.fromEntries(
    Object.entries(finding).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** Rows of sellers, with those marked as failed whose items could not be read. */
export function withFailed<Row extends { readonly seller: string }>(
  rows: readonly Row[],
  failed: readonly string[],
): readonly Row[] {
  if (failed.length === 0) return rows;
  return rows.map((row) =>
    failed.includes(row.seller)
      ? { ...row, status: 'failed', reason: 'Its answer is not usable.', code: 'INTERNAL', items: 0 }
      : row,
  );
}

/** The refusals of a read, complete and each with its seller: other sellers' results are beside them. */
export function sellerErrors(legs: readonly SellerRefusal[], profile: WireProfile): JsonObject[] {
  return legs.flatMap(({ seller, errors = [] }) =>
    errors.map((error) =>
      projectError({ ...error, details: { ...error.details, seller } }, profile.dialect, profile.form),
    ),
  );
}
