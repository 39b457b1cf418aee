import { splitId } from '@switchyard/protocol';
import type { JsonObject, JsonValue } from '@switchyard/values';

/** One seller's part of a refinement: its changes, and the index of each in the buyer's list. */
interface SellerRefinement {
  readonly changes: readonly JsonObject[];
  readonly places: readonly number[];
}

const idNames: Readonly<Record<string, string>> = { product: 'product_id', proposal: 'proposal_id' };

/**
 * Returns a refinement's changes for one seller, with its own ids: those of the whole request and those of its products
 * and proposals. If it names products or proposals, but none of this seller, the result is empty.
 */
export function refineFor(refine: readonly JsonObject[], seller: string): SellerRefinement {
  const changes: JsonObject[] = [];
  const places: number[] = [];
  let namesOne = false;
  for (const [place, change] of refine.entries()) {
    const idName = idNameOf(textOf(change['scope']));
    if (idName === undefined) {
      changes.push(change);
      places.push(place);
      continue;
    }
    const split = splitId(textOf(change[idName]));
    if (!split.ok || split.value.slug !== seller) continue;
    namesOne = true;
    changes.push({ ...change, [idName]: split.value.id });
    places.push(place);
  }
  const namesAny = refine.some(({ scope }) => Object.hasOwn(idNames, textOf(scope)));
  return namesAny && !namesOne ? { changes: [], places: [] } : { changes, places };
}

/** The id member of a scope; `undefined` if the scope has none. */
function idNameOf(scope: string): string | undefined {
  return Object.hasOwn(idNames, scope) ? idNames[scope] : undefined;
}

type Verdict = 'applied' | 'partial' | 'unable';

/** A seller's results for its changes, with the indexes of `refineFor`. */
interface SellerVerdicts {
  readonly seller: string;
  readonly places: readonly number[];
  readonly verdicts: readonly JsonObject[];
}

/**
 * Returns one verdict per change, in the buyer's order. Different verdicts of sellers become `partial`. A change
 * without any verdict is `unable`, with the reason in `notes`.
 */
export function mergeVerdicts(
  refine: readonly JsonObject[],
  sellers: readonly SellerVerdicts[],
): readonly JsonObject[] {
  return refine.map((change, place) => {
    const scope = textOf(change['scope']);
    const idName = idNameOf(scope);
    const received = sellers.flatMap(({ seller, places, verdicts }) => {
      const verdict = verdicts[places.indexOf(place)];
      return places.includes(place) && verdict !== undefined ? [{ seller, verdict }] : [];
    });
    const statuses = new Set(received.map(({ verdict }) => statusIn(verdict)));
    const [only] = statuses;
    const status: Verdict = only === undefined ? 'unable' : statuses.size === 1 ? only : 'partial';
    const notes = received.flatMap(({ seller, verdict }) =>
      typeof verdict['notes'] === 'string' ? [`${seller}: ${verdict['notes']}`] : [],
    );
    if (received.length === 0) notes.push('No seller said that it did this.');
    return {
      scope,
      ...(idName === undefined ? {} : { [idName]: change[idName] ?? '' }),
      status,
      ...(notes.length === 0 ? {} : { notes: notes.join(' ') }),
    };
  });
}

function statusIn(verdict: JsonObject): Verdict {
  const { status } = verdict;
  return status === 'applied' || status === 'partial' ? status : 'unable';
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}
