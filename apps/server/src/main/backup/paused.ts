import { instanceNotes, locateDatabase, openStore, type InstanceNotes } from '@switchyard/store';
import type { IsStopped } from '@switchyard/tenancy';
import { err, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import { systemClock } from '../../platform/clock.js';
import type { StartFailure } from '../../platform/start-failure.js';
import type { Environment } from '../settings/settings.js';

/** The note of a database that was restored and sends nothing yet. */
export const restoredNote = 'restored';

/** How old an answer may be, in milliseconds. */
const freshMs = 500;

/**
 * Stops every call to a seller and every webhook to a buyer, as an emergency stop of everything does, while the database
 * is one that was restored and not resumed. Beside it the other stops hold.
 */
export function pausedOr(isStopped: IsStopped, notes: Pick<InstanceNotes, 'get'>, clock: Clock): IsStopped {
  let known: { readonly at: Instant; readonly isPaused: Promise<boolean> } | undefined;
  const isPaused = (): Promise<boolean> => {
    const now = clock.now();
    if (known !== undefined && now - known.at < freshMs && now >= known.at) return known.isPaused;
    const read = notes.get(restoredNote).then((note) => note !== undefined && note !== null);
    const fresh = { at: now, isPaused: read };
    known = fresh;
    read.catch(() => {
      if (known === fresh) known = undefined;
    });
    return read;
  };
  return async (organizationId, kind, subject) =>
    ((kind === 'seller' || kind === 'all') && (await isPaused())) || isStopped(organizationId, kind, subject);
}

/** Ends the pause of a restored database. Answers false if there was none. */
export async function resume(of: {
  readonly env: Environment;
  readonly dataDir: string;
}): Promise<Result<boolean, StartFailure>> {
  const located = locateDatabase(of.env, of.dataDir);
  if (!located.ok)
    return located.error.code === 'not_running'
      ? err({ code: 'not_running', message: `${located.error.message} Start it first.` })
      : located;
  const store = openStore(located.value.url, { connections: 1 });
  try {
    const notes = instanceNotes(store);
    const note = await notes.get(restoredNote);
    if (note === undefined || note === null) return ok(false);
    await notes.set(restoredNote, null, systemClock.now());
    return ok(true);
  } finally {
    await store.close();
  }
}
