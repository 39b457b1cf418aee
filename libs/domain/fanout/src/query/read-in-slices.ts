import {
  listOfItems,
  type ReadAnswer,
  type TaskError,
  type TaskSpec,
  type WireProfile,
} from '@switchyard/protocol';
import { err, nextTurn, ok, slicesOf, weightOf, type JsonObject, type Result } from '@switchyard/values';

/** Maximum weight that is read in one turn of the event loop. */
const slice = 5_000;
/** Maximum weight of one item, and of all members except the items. Real answers are far smaller. */
const mostOfItem = 20_000;

/**
 * Reads an answer whose items are in one list in slices of that list, so that a long list does not block the event
 * loop. An item over the maximum weight is set aside. Other answers are read at once.
 */
export async function readInSlices<Request, Answer>(
  spec: TaskSpec<Request, Answer>,
  payload: JsonObject,
  profile: WireProfile,
): Promise<Result<ReadAnswer<Answer>, readonly TaskError[]>> {
  const { list = '', member = '' } = listOfItems(spec.name) ?? {};
  const items = payload[list];
  if (!Array.isArray(items) || weightOf(payload, slice) <= slice) return spec.readAnswer(payload, profile);
  const { [list]: _items, ...others } = payload;
  if (weightOf(others, mostOfItem) > mostOfItem) return err([tooLarge(`beside its ${list}`)]);
  const first = spec.readAnswer({ ...payload, [list]: [] }, profile);
  if (!first.ok) return first;
  const read: unknown[] = [];
  const setAside = [...first.value.setAside];
  for (const part of slicesOf(items, slice, (item) => weightOf(item, mostOfItem))) {
    await nextTurn();
    if (part.weight > mostOfItem) {
      setAside.push(tooLarge(`in one of its ${list}`));
      continue;
    }
    const some = spec.readAnswer({ ...plainMembers(others), [list]: [...part.items] }, profile);
    if (!some.ok) return some;
    for (const item of (some.value.answer as Record<string, readonly unknown[]>)[member] ?? [])
      read.push(item);
    setAside.push(...some.value.setAside);
  }
  return ok({ answer: { ...first.value.answer, [member]: read }, setAside });
}

/** Members that are not objects or lists, such as the release of the answer. */
function plainMembers(members: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => typeof value !== 'object'));
}

function tooLarge(where: string): TaskError {
  return { code: 'TOO_LARGE', message: `There is more ${where} than is read.` };
}
