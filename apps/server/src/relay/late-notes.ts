import type { Clock } from '@switchyard/values';

interface LateNotesDeps {
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Notes about answers that are already on their way to the caller. */
export interface LateNotes {
  /** Callers do not await it. `bytes`: the memory that the note uses until it is made. */
  add(bytes: number, note: () => Promise<void>): void;
  /** Resolves once every note added before is made. */
  caughtUp(): Promise<void>;
}

/** How long notes gather, in milliseconds, and the most notes, or bytes of answers, that gather. */
const gatherMs = 100;
const most = 64;
const mostBytes = 4 * 1024 * 1024;
/** Notes made in one turn of the event loop: other work waits no longer than these take. */
const perTurn = 4;

/**
 * Reads sellers' answers to sealed reads after they were passed on, many together: one by one each would delay the next
 * request, and together they cost less. If the process dies, their rows stay open, and the next start seals them as
 * `unknown`, like those that it had not sealed.
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
