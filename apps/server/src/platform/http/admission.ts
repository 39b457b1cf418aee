import { err, ok, type Clock, type Result } from '@switchyard/values';

export interface AdmissionSettings {
  /** The most concurrent requests in total. */
  readonly most: number;
  /** The limit at the start and after a rest. It grows while the event loop has room, and shrinks while it is busy. */
  readonly first: number;
  /** The lowest limit, however busy the loop is. Default: 2. */
  readonly fewest?: number;
  /** The most concurrent requests of one caller. */
  readonly perCaller: number;
  /** The most waiting requests in total; one caller may use a quarter. */
  readonly waiting: number;
  /** The longest wait, in milliseconds. */
  readonly waitMs: number;
}

/** Why a request is not admitted: too much active and waiting work of its caller, or of all together. */
export interface TurnRefusal {
  readonly scope: 'caller' | 'all';
  /** Whole seconds, at least 1: the estimated time until there is room. */
  readonly retryAfter: number;
}

/** An admitted request. A second `end` does nothing. */
export interface Turn {
  /** Counts it for the caller from now on, once the caller is known. */
  belongsTo(caller: string): void;
  end(): void;
}

interface TurnRequest {
  readonly caller: string;
  /** The memory used while the request waits. */
  readonly bytes: number;
  /** Fires when the caller no longer waits for the answer. */
  readonly signal: AbortSignal;
}

export interface Admission {
  /** Resolves at once if there is room, or no place to wait. */
  enter(requested: TurnRequest): Promise<Result<Turn, TurnRefusal>>;
  /** The number of active and of waiting requests. */
  counts(): { readonly active: number; readonly waiting: number };
}

interface AdmissionDeps {
  readonly clock: Clock;
  /** The share of its time, 0 to 1, that the event loop was busy since the last call. */
  readonly busyShare: () => number;
}

interface Waiting extends TurnRequest {
  readonly settle: (outcome: Result<Turn, TurnRefusal>) => void;
}

const lookEveryMs = 50;
/** The busy shares of the event loop above which the limit shrinks, and below which it grows. */
const oneCaller = { tooBusy: 0.9, hasRoom: 0.75 };
/** The same while several callers work: a shorter queue in the loop, so that none waits for the work of another. */
const manyCallers = { tooBusy: 0.75, hasRoom: 0.6 };
/** How long callers count as several after their last work, in milliseconds. */
const rememberMs = 2_000;
const waitingBytesAtMost = 64 * 1024 * 1024;

/**
 * Limits concurrent work, per caller and in total, before it takes a database connection.
 *
 * A request without room waits in a short queue. The next turn goes to the caller with the fewest active requests, and
 * among equals to the one served longest ago: many requests of one caller delay only that caller. The limit follows the
 * event loop: computing work keeps it busy and gets a low limit, so that its steps alternate quickly; work that waits
 * for sellers gets up to `most`.
 */
export function createAdmission(settings: AdmissionSettings, { clock, busyShare }: AdmissionDeps): Admission {
  const active = new Map<string, number>();
  /** In the order in which callers were last served. */
  const lines = new Map<string, Waiting[]>();
  const total = { active: 0, waiting: 0, bytes: 0 };
  const turnsOf = (caller: string): number => active.get(caller) ?? 0;
  const count = (caller: string, change: 1 | -1): void => {
    const now = turnsOf(caller) + change;
    if (now > 0) active.set(caller, now);
    else active.delete(caller);
  };
  const first = Math.min(settings.first, settings.most);
  const fewest = Math.min(settings.fewest ?? 2, first);
  let limit = first;
  let isWatching = false;
  let busy = 0;
  let manyUntil = 0;
  /** The average duration of recent turns, in milliseconds. */
  let usualMs = 100;

  const begin = (whose: string): Turn => {
    let caller: string | undefined = whose;
    const begun = clock.now();
    total.active += 1;
    count(whose, 1);
    if (active.size > 1) manyUntil = begun + rememberMs;
    return {
      belongsTo: (other) => {
        if (caller === undefined || caller === other) return;
        count(caller, -1);
        count(other, 1);
        caller = other;
        serve();
      },
      end: () => {
        if (caller === undefined) return;
        count(caller, -1);
        caller = undefined;
        total.active -= 1;
        usualMs += (clock.now() - begun - usualMs) / 16;
        serve();
      },
    };
  };

  const leave = (waiting: Waiting): void => {
    const line = lines.get(waiting.caller) ?? [];
    const at = line.indexOf(waiting);
    if (at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) lines.delete(waiting.caller);
    total.waiting -= 1;
    total.bytes -= waiting.bytes;
  };

  /** The first waiting request of the caller with the fewest active ones. */
  const next = (): Waiting | undefined => {
    let least: { readonly turns: number; readonly waiting: Waiting | undefined } | undefined;
    for (const [caller, [waiting]] of lines) {
      const turns = turnsOf(caller);
      if (turns < settings.perCaller && turns < (least?.turns ?? Infinity)) least = { turns, waiting };
      if (least?.turns === 0) break;
    }
    return least?.waiting;
  };

  const serve = (): void => {
    while (total.active < limit) {
      const waiting = next();
      if (waiting === undefined) return;
      leave(waiting);
      const rest = lines.get(waiting.caller);
      if (rest !== undefined) {
        lines.delete(waiting.caller);
        lines.set(waiting.caller, rest);
      }
      waiting.settle(ok(begin(waiting.caller)));
    }
  };

  /** Adjusts the limit while any request waits. */
  const watch = (): void => {
    if (isWatching) return;
    isWatching = true;
    busyShare();
    clock.after(lookEveryMs, () => {
      isWatching = false;
      busy += (busyShare() - busy) * 0.4;
      const { tooBusy, hasRoom } = clock.now() < manyUntil ? manyCallers : oneCaller;
      if (busy > tooBusy) limit = Math.max(fewest, Math.floor(total.active * 0.85));
      else if (busy < hasRoom) limit = Math.min(settings.most, Math.ceil(limit * 1.2));
      serve();
      if (total.waiting > 0) watch();
    });
  };

  const refusal = (scope: TurnRefusal['scope']): Result<never, TurnRefusal> => {
    const untilRoomMs = (total.waiting * usualMs) / limit;
    return err({ scope, retryAfter: Math.min(30, Math.max(1, Math.ceil(untilRoomMs / 1_000))) });
  };

  const wait = (requested: TurnRequest): Promise<Result<Turn, TurnRefusal>> =>
    new Promise((resolve) => {
      const line = lines.get(requested.caller) ?? [];
      const settle: Waiting['settle'] = (outcome) => {
        stop();
        requested.signal.removeEventListener('abort', giveUp);
        resolve(outcome);
      };
      const waiting: Waiting = { ...requested, settle };
      const giveUp = (): void => {
        leave(waiting);
        settle(refusal(turnsOf(requested.caller) >= settings.perCaller ? 'caller' : 'all'));
      };
      const stop = clock.after(settings.waitMs, giveUp);
      requested.signal.addEventListener('abort', giveUp, { once: true });
      line.push(waiting);
      lines.set(requested.caller, line);
      total.waiting += 1;
      total.bytes += requested.bytes;
      watch();
    });

  return {
    counts: () => ({ active: total.active, waiting: total.waiting }),
    enter: (requested) => {
      const { caller, bytes } = requested;
      // The adjusted limit is reset when all work has ended.
      if (total.waiting === 0 && total.active === 0) limit = first;
      const isFirst = !lines.has(caller);
      if (isFirst && total.active < limit && turnsOf(caller) < settings.perCaller)
        return Promise.resolve(ok(begin(caller)));
      if ((lines.get(caller)?.length ?? 0) >= Math.ceil(settings.waiting / 4))
        return Promise.resolve(refusal('caller'));
      if (total.waiting >= settings.waiting || total.bytes + bytes > waitingBytesAtMost)
        return Promise.resolve(refusal('all'));
      return wait(requested);
    },
  };
}
