import type { Release, ReleaseName } from './release.js';
import { release32 } from './release-3.2/release-3.2.js';

/** Releases after the newest form, oldest first. Each is spoken only if it is asked for by its exact name. */
export const knownReleases: readonly Release[] = [release32];

/** Their names, for settings. */
export const releaseNames: readonly ReleaseName[] = knownReleases.map(({ name }) => name);

/** The release that a text names exactly. */
export function releaseNamed(text: unknown, known: readonly Release[] = knownReleases): Release | undefined {
  return known.find(
    ({ name, spelled }) => text === name || (typeof text === 'string' && spelled.includes(text)),
  );
}
