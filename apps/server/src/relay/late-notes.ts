import type { Clock } from '@switchyard/values';

export interface LateNotesDeps {
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** What is to be noted of answers that are on their way back already. */
export interface LateNotes {
  /** Never waited for. `bytes`: what the note keeps in memory until it is made. */
  add(bytes: number, note: () => Promise<void>): void;
  /** Resolves once everything that was added before has been noted. */
  caughtUp(): Promise<void>;
}

/** How long notes gather, and how many, or how many bytes of answers, at most. */
const gatherMs = 100;
const most = 64;
const mostBytes = 4 * 1024 * 1024;
/** Notes made in one turn: what comes meanwhile waits no longer than these take. */
const perTurn = 4;

/**
 * Reads what sellers answered to sealed questions behind the answers, many together: read one by one each would stand
 * in the way of the very next request, and together they cost less. A process that dies leaves their rows open, which
 * the next start seals as `unknown`, as it does with what it had not sealed.
 */
export function createLateNotes({ clock, onUnexpected }: LateNotesDeps): LateNotes {
  let waiting: (() => Promise<void>)[] = [];
  let bytes = 0;
  let cancel: (() => void) | undefined;
  let made: Promise<void> = Promise.resolve();

  const makeAll = async (notes: readonly (() => Promise<void>)[]): Promise<void> => {
    for (let at = 0; at < notes.length; at += perTurn) {
      if (at > 0) await nextTurn();
      for (const settled of await Promise.allSettled(
        notes.slice(at, at + perTurn).map(async (note) => note()),
      )) {
        if (settled.status === 'rejected') onUnexpected(settled.reason, 'a relayed answer');
      }
    }
  };

  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const notes = waiting;
    waiting = [];
    bytes = 0;
    if (notes.length > 0) made = made.then(() => makeAll(notes));
  };

  return {
    add: (size, note) => {
      waiting.push(note);
      bytes += size;
      if (waiting.length >= most || bytes >= mostBytes) flush();
      else cancel ??= clock.after(gatherMs, flush);
    },
    caughtUp: () => {
      flush();
      return made;
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
