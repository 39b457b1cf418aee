import type { SellerRow } from '@switchyard/protocol';
import type { Clock } from '@switchyard/values';

/** The result of a leg; the fan-out adds its seller and duration. */
export type LegReport<Value> = Omit<SellerRow, 'seller' | 'elapsed_ms'> & { readonly value?: Value };

export interface LegOutcome<Leg, Value> {
  readonly leg: Leg;
  readonly row: SellerRow;
  readonly value?: Value;
}

interface FanOut<Leg extends { readonly seller: string }, Value> {
  readonly legs: readonly Leg[];
  /**
   * Queries one seller. It may reject, hang or return late without affecting other legs. If the deadline comes first,
   * the report last passed to `keepInterim` is the result.
   */
  readonly query: (
    leg: Leg,
    signal: AbortSignal,
    keepInterim: (report: LegReport<Value>) => void,
  ) => Promise<LegReport<Value>>;
  /** One deadline for all legs, in milliseconds from the call. */
  readonly deadlineMs: number;
  readonly clock: Clock;
  /** Fires when the caller has left: all legs are aborted and `fanOut` returns at once. */
  readonly signal?: AbortSignal;
  /**
   * Decides after each settled leg whether the others are waited for: `undefined` if they are, else the report of each leg that
   * is left.
   */
  readonly early?: (open: readonly Leg[]) => ((leg: Leg) => LegReport<Value>) | undefined;
  /** Called for each leg as it settles, in that order, including aborted legs. */
  readonly onSettled?: (outcome: LegOutcome<Leg, Value>, settled: number, total: number) => void;
}

/** Codes of the rows that the fan-out itself writes. */
export const cutOffCodes = { deadline: 'DEADLINE', callerGone: 'CALLER_GONE', later: 'LATER' } as const;

/**
 * Queries all legs at once and resolves with one outcome per leg, in the order of the legs. At the deadline, legs that
 * have not settled are aborted and reported as `slow`. Never rejects.
 *
 * Each leg has its own abort controller: hundreds of calls would add listeners to one shared signal faster than they
 * are removed.
 */
export function fanOut<Leg extends { readonly seller: string }, Value>(
  plan: FanOut<Leg, Value>,
): Promise<LegOutcome<Leg, Value>[]> {
  const { clock, legs } = plan;
  const startedAt = clock.now();
  const outcomes = new Array<LegOutcome<Leg, Value> | undefined>(legs.length).fill(undefined);
  const controllers = legs.map(() => new AbortController());
  const stored = new Map<number, LegReport<Value>>();
  let settled = 0;
  let isCut = false;

  return new Promise((resolve) => {
    const leave = (): void => {
      cancelDeadline();
      plan.signal?.removeEventListener('abort', callerLeft);
      resolve(outcomes.filter((outcome) => outcome !== undefined));
    };
    const settle = (index: number, leg: Leg, report: LegReport<Value>): void => {
      if (outcomes[index] !== undefined) return;
      const outcome = outcomeOf(leg, report, clock.now() - startedAt);
      outcomes[index] = outcome;
      settled += 1;
      reportProgress(plan, outcome, settled);
      if (settled === legs.length) leave();
      else if (!isCut) endEarly();
    };
    const endEarly = (): void => {
      const report = plan.early?.(legs.filter((_, place) => outcomes[place] === undefined));
      if (report !== undefined) cutOff(report);
    };
    const cutOff = (report: (leg: Leg) => LegReport<Value>): void => {
      isCut = true;
      for (const [index, leg] of legs.entries()) {
        if (outcomes[index] !== undefined) continue;
        // The row is written before the abort, because the abort would settle the leg with a less exact reason.
        settle(index, leg, stored.get(index) ?? report(leg));
        controllers[index]?.abort();
      }
    };
    const callerLeft = (): void => {
      cutOff(() => slow('The caller went away before this seller had answered.', cutOffCodes.callerGone));
    };
    const cancelDeadline = clock.after(plan.deadlineMs, () => {
      cutOff(() => slow('No answer before the deadline.', cutOffCodes.deadline));
    });

    if (legs.length === 0) {
      leave();
      return;
    }
    plan.signal?.addEventListener('abort', callerLeft, { once: true });
    if (plan.signal?.aborted === true) {
      callerLeft();
      return;
    }
    for (const [index, leg] of legs.entries()) {
      const controller = controllers[index];
      if (controller === undefined) continue;
      const keepInterim = (report: LegReport<Value>): void => {
        stored.set(index, report);
      };
      queryOne(plan, leg, controller.signal, keepInterim).then(
        (report) => {
          settle(index, leg, report);
        },
        () => {
          settle(index, leg, brokenLeg());
        },
      );
    }
  });
}

/** `async`, so that a synchronous throw of `query` becomes the rejection of this leg alone. */
async function queryOne<Leg extends { readonly seller: string }, Value>(
  plan: FanOut<Leg, Value>,
  leg: Leg,
  signal: AbortSignal,
  keepInterim: (report: LegReport<Value>) => void,
): Promise<LegReport<Value>> {
  return plan.query(leg, signal, keepInterim);
}

function outcomeOf<Leg extends { readonly seller: string }, Value>(
  leg: Leg,
  report: LegReport<Value>,
  elapsed: number,
): LegOutcome<Leg, Value> {
  const row: SellerRow = {
    seller: leg.seller,
    status: report.status,
    reason: report.reason,
    ...(report.code === undefined ? {} : { code: report.code }),
    elapsed_ms: Math.round(elapsed),
    items: report.items,
  };
  return report.value === undefined ? { leg, row } : { leg, row, value: report.value };
}

function reportProgress<Leg extends { readonly seller: string }, Value>(
  plan: FanOut<Leg, Value>,
  outcome: LegOutcome<Leg, Value>,
  settled: number,
): void {
  try {
    plan.onSettled?.(outcome, settled, plan.legs.length);
  } catch {
    // An observer's error must not fail the answer.
  }
}

function slow(reason: string, code: string): LegReport<never> {
  return { status: 'slow', reason, code, items: 0 };
}

function brokenLeg(): LegReport<never> {
  return { status: 'failed', reason: 'The call broke off inside Switchyard.', code: 'INTERNAL', items: 0 };
}
