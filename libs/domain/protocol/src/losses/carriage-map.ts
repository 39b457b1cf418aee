import type { Carriage } from './lost-members.js';

/** One member of a carriage, with the members inside it. */
export interface Stop {
  readonly inner: Map<string, Stop>;
  aliases: readonly string[];
  isOurs: boolean;
  key?: string;
}

const known = new WeakMap<Carriage, Stop>();

/** Returns a carriage as a tree, built once, so that a comparison finds each member by its name. */
export function mapOf(carriage: Carriage): Stop {
  const before = known.get(carriage);
  if (before !== undefined) return before;
  const root = stop();
  for (const [path, names] of Object.entries(carriage.aliases ?? {})) stopAt(root, path).aliases = names;
  for (const path of carriage.ours ?? []) stopAt(root, path).isOurs = true;
  for (const [path, key] of Object.entries(carriage.each ?? {})) stopAt(root, path).key = key;
  known.set(carriage, root);
  return root;
}

const stop = (): Stop => ({ inner: new Map(), aliases: [], isOurs: false });

function stopAt(root: Stop, path: string): Stop {
  let at = root;
  for (const name of path.replaceAll('[]', '').split('.')) {
    const next = at.inner.get(name) ?? stop();
    at.inner.set(name, next);
    at = next;
  }
  return at;
}
