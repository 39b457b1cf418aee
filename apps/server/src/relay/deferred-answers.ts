import type { Clock } from '@switchyard/values';

interface DeferredAnswersDeps {
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Work on answers that are already being sent to the caller. */
export interface DeferredAnswers {
  /** Callers do not await it. `bytes`: the memory that the work uses until it is done. */
  add(bytes: number, work: () => Promise<void>): void;
  /** Resolves once all work added before is done. */
  caughtUp(): Promise<void>;
}

/** How long work gathers, in milliseconds, and the most items, or bytes of answers, that gather. */
const gatherMs = 100;
const most = 64;
const mostBytes = 4 * 1024 * 1024;
/** Items done in one turn of the event loop: other requests wait no longer than these take. */
const perTurn = 4;

/**
 * Reads sellers' answers to sealed reads after they were forwarded, many together: one by one each would delay the next
 * request, and together they cost less. If the process dies, their rows stay open, and the next start seals them as
 * `unknown`, like those that it had not sealed.
 */
export function createDeferredAnswers({ clock, onUnexpected }: DeferredAnswersDeps): DeferredAnswers {
  let waiting: (() => Promise<void>)[] = [];
  let bytes = 0;
  let cancel: (() => void) | undefined;
  let done: Promise<void> = Promise.resolve();

  const runAll = async (items: readonly (() => Promise<void>)[]): Promise<void> => {
    for (let at = 0; at < items.length; at += perTurn) {
      if (at > 0) await nextTurn();
      for (const settled of await Promise.allSettled(
        items.slice(at, at + perTurn).map(async (work) => work()),
      )) {
        if (settled.status === 'rejected') onUnexpected(settled.reason, 'recording a relayed answer');
      }
    }
  };

  const flush = (): void => {
    cancel?.();
    cancel = undefined;
    const items = waiting;
    waiting = [];
    bytes = 0;
    if (items.length > 0) done = done.then(() => runAll(items));
  };

  return {
    add: (size, work) => {
      waiting.push(work);
      bytes += size;
      if (waiting.length >= most || bytes >= mostBytes) flush();
      else cancel ??= clock.after(gatherMs, flush);
    },
    caughtUp: () => {
      flush();
      return done;
    },
  };
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
