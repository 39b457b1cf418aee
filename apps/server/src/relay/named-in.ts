import { isJsonObject, type JsonObject, type JsonValue } from '@switchyard/values';

/** What a sealed request names by the seller's own ids, at any depth. */
interface Named {
  readonly buys: readonly string[];
  /** Creatives, existing ones and those that come with the request. */
  readonly creatives: readonly string[];
  /** Packages that creatives are assigned to; those of a buy are inside the buy. */
  readonly assigned: readonly string[];
}

interface Found {
  readonly buys: Set<string>;
  readonly creatives: Set<string>;
  readonly assigned: Set<string>;
}

/** Reads the members of every version, even if the rest of the request cannot be read. */
export function namedIn(args: JsonObject): Named {
  const found: Found = { buys: new Set(), creatives: new Set(), assigned: new Set() };
  look(args, found);
  return {
    buys: [...found.buys],
    creatives: [...found.creatives],
    assigned: [...found.assigned],
  };
}

function look(value: JsonValue, found: Found): void {
  if (Array.isArray(value)) for (const one of value) look(one, found);
  else if (isJsonObject(value)) for (const [name, one] of Object.entries(value)) lookAt(name, one, found);
}

function lookAt(name: string, value: JsonValue, found: Found): void {
  // The context is returned unchanged; the seller reads nothing from it.
  if (name === 'context') return;
  if (name === 'media_buy_id' || name === 'media_buy_ids') return addTo(found.buys, value);
  if (name === 'creative_id' || name === 'creative_ids') return addTo(found.creatives, value);
  if (name === 'assignments') assignments(value, found);
  look(value, found);
}

/** A list, or lists of packages by creative. */
function assignments(value: JsonValue, found: Found): void {
  if (Array.isArray(value)) {
    for (const one of value.filter(isJsonObject))
      for (const name of ['package_id', 'package_ids']) addTo(found.assigned, one[name] ?? null);
  } else if (isJsonObject(value)) {
    for (const [creativeId, packages] of Object.entries(value)) {
      found.creatives.add(creativeId);
      addTo(found.assigned, packages);
    }
  }
}

function addTo(ids: Set<string>, value: JsonValue): void {
  for (const one of Array.isArray(value) ? value : [value]) if (typeof one === 'string') ids.add(one);
}
