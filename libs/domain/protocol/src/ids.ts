import { err, ok, type Result } from '@switchyard/values';

interface SplitId {
  readonly slug: string;
  readonly id: string;
}

interface IdError {
  /** `unprefixed`: there is no colon, or nothing after it. `bad_slug`: the text before it is no valid slug. */
  readonly code: 'unprefixed' | 'bad_slug';
}

/** A seller's name in every prefixed id. It contains no colon, so an id is split at the first one. */
export const slugPattern = /^[a-z0-9][a-z0-9-]{0,62}$/;

export function isSlug(text: string): boolean {
  return slugPattern.test(text);
}

/**
 * Returns the id that buyers see for a seller's product, package or signal
 * (docs/protocol/requests-and-versions.md#ids). Media buy and task ids are our own; other ids and buyers' references do
 * not change.
 */
export function prefixId(slug: string, id: string): string {
  if (!isSlug(slug)) throw new RangeError('not a slug');
  return `${slug}:${id}`;
}

/** Reverses `prefixId`. A seller's own id may contain colons: only the first one separates. */
export function splitId(id: string): Result<SplitId, IdError> {
  const colon = id.indexOf(':');
  if (colon < 0 || colon === id.length - 1) return err({ code: 'unprefixed' });
  const slug = id.slice(0, colon);
  if (!isSlug(slug)) return err({ code: 'bad_slug' });
  return ok({ slug, id: id.slice(colon + 1) });
}
