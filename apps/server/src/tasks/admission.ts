import { err, ok, type Clock, type Result } from '@switchyard/values';

export interface AdmissionSettings {
  /** Requests at work at once, of everybody. */
  readonly most: number;
  /**
   * How many begin at once after a rest. More are let in while the event loop has room, and fewer while it is busy.
   */
  readonly first: number;
  /** Of one caller. */
  readonly perCaller: number;
  /** Requests that wait for their turn, of everybody; one caller has a quarter of these places. */
  readonly waiting: number;
  /** How long one waits at most, in milliseconds. */
  readonly waitMs: number;
}

/** Why a request has no turn: its caller has enough at work and waiting, or everybody together has. */
export interface TurnRefusal {
  readonly scope: 'caller' | 'all';
  /** Whole seconds, at least 1: about when there will be room. */
  readonly retryAfter: number;
}

/** A place at work. Ending it twice is ending it once. */
export interface Turn {
  /** Counts it from now on for somebody else, once it is known who is calling. */
  belongsTo(caller: string): void;
  end(): void;
}

export interface AskForTurn {
  readonly caller: string;
  /** What is held in memory while the request waits. */
  readonly bytes: number;
  /** Fires when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

export interface Admission {
  /** Resolves at once where there is room or no place to wait. */
  enter(requested: AskForTurn): Promise<Result<Turn, TurnRefusal>>;
  /** How many are at work, and how many wait. */
  counts(): { readonly active: number; readonly waiting: number };
}

export interface AdmissionDeps {
  readonly clock: Clock;
  /** The share of its time, 0 to 1, that the event loop was busy since it was last asked. */
  readonly busyShare: () => number;
}

interface Waiting extends AskForTurn {
  readonly settle: (outcome: Result<Turn, TurnRefusal>) => void;
}

const lookEveryMs = 50;
/** The share of its time that the event loop is busy when that is too much, and when there is room for more. */
const tooBusy = 0.9;
const hasRoom = 0.75;
/** However busy it is. */
const fewest = 2;
const waitingBytesAtMost = 64 * 1024 * 1024;

/**
 * Bounds the work in flight, per caller and in all, before a database connection is taken for it.
 *
 * Who finds no room waits in a short line. The next turn goes to the caller with the least at work, and among equals to
 * the one that was served longest ago: one caller's crowd delays itself. How many turns there are follows the event
 * loop: work that computes keeps it busy and gets few, so that each step of it soon has its turn there; work that waits
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
  let limit = first;
  let isLooking = false;
  let busy = 0;
  /** How long a turn lasts, in milliseconds, as the last ones went. */
  let usualMs = 100;

  const begin = (whose: string): Turn => {
    let caller: string | undefined = whose;
    const begun = clock.now();
    total.active += 1;
    count(whose, 1);
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

  const leave = (one: Waiting): void => {
    const line = lines.get(one.caller) ?? [];
    const at = line.indexOf(one);
    if (at < 0) return;
    line.splice(at, 1);
    if (line.length === 0) lines.delete(one.caller);
    total.waiting -= 1;
    total.bytes -= one.bytes;
  };

  /** The first of the line whose caller has the least at work. */
  const next = (): Waiting | undefined => {
    let least: { readonly turns: number; readonly one: Waiting | undefined } | undefined;
    for (const [caller, [one]] of lines) {
      const turns = turnsOf(caller);
      if (turns < settings.perCaller && turns < (least?.turns ?? Infinity)) least = { turns, one };
      if (least?.turns === 0) break;
    }
    return least?.one;
  };

  const serve = (): void => {
    while (total.active < limit) {
      const one = next();
      if (one === undefined) return;
      leave(one);
      const rest = lines.get(one.caller);
      if (rest !== undefined) {
        lines.delete(one.caller);
        lines.set(one.caller, rest);
      }
      one.settle(ok(begin(one.caller)));
    }
  };

  /** Looks after the bound for as long as anybody waits. */
  const look = (): void => {
    if (isLooking) return;
    isLooking = true;
    busyShare();
    clock.after(lookEveryMs, () => {
      isLooking = false;
      busy += (busyShare() - busy) * 0.4;
      if (busy > tooBusy) limit = Math.max(Math.min(fewest, first), Math.floor(total.active * 0.85));
      else if (busy < hasRoom) limit = Math.min(settings.most, Math.ceil(limit * 1.2));
      serve();
      if (total.waiting > 0) look();
    });
  };

  const refusal = (scope: TurnRefusal['scope']): Result<never, TurnRefusal> => {
    const untilRoomMs = (total.waiting * usualMs) / limit;
    return err({ scope, retryAfter: Math.min(30, Math.max(1, Math.ceil(untilRoomMs / 1_000))) });
  };

  const wait = (requested: AskForTurn): Promise<Result<Turn, TurnRefusal>> =>
    new Promise((resolve) => {
      const line = lines.get(requested.caller) ?? [];
      const settle: Waiting['settle'] = (outcome) => {
        stop();
        requested.signal.removeEventListener('abort', giveUp);
        resolve(outcome);
      };
      const one: Waiting = { ...requested, settle };
      const giveUp = (): void => {
        leave(one);
        settle(refusal(turnsOf(requested.caller) >= settings.perCaller ? 'caller' : 'all'));
      };
      const stop = clock.after(settings.waitMs, giveUp);
      requested.signal.addEventListener('abort', giveUp, { once: true });
      line.push(one);
      lines.set(requested.caller, line);
      total.waiting += 1;
      total.bytes += requested.bytes;
      look();
    });

  return {
    counts: () => ({ active: total.active, waiting: total.waiting }),
    enter: (requested) => {
      const { caller, bytes } = requested;
      // What was learnt of the last crowd is forgotten with it.
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
