import { dailyRate, daysBetween, earlier, silentDaysOf, sum, usualSilentDays } from './pacing.js';
import { shiftDay } from './period.js';

/** One line of a campaign at its seller. Amounts are micros of the campaign's currency. */
export interface AdvisedLine {
  /** First and last UTC day, `YYYY-MM-DD`. */
  readonly startsOn: string;
  readonly endsOn: string;
  readonly budgetMicros: bigint;
  /** Delivered micros by UTC day. */
  readonly delivered: ReadonlyMap<string, bigint>;
  /** The last day with a figure. */
  readonly reportedThrough?: string;
  /** What a thousand impressions have cost so far. */
  readonly cpmMicros?: bigint;
  /** `open`: its budget can be changed. `held`: it counts with its budget. `over`: it counts with what it delivered. */
  readonly state: 'open' | 'held' | 'over';
}

export interface BudgetChange<Line> {
  readonly line: Line;
  readonly toMicros: bigint;
  /**
   * `unspent`: at its pace it would not spend `factMicros` of its budget. `dearest`: of the lines that can still be cut
   * its thousand costs most, `factMicros`; absent where no price is known. `room`: at its pace it would spend
   * `factMicros` more than its budget.
   */
  readonly why: 'unspent' | 'dearest' | 'room';
  readonly factMicros?: bigint;
}

/** One change of the budgets of a campaign over all its sellers. */
export interface Advice<Line> {
  readonly kind: 'lower' | 'move' | 'raise';
  readonly amountMicros: bigint;
  /** Budgets that become smaller stand before those that become larger. */
  readonly changes: readonly BudgetChange<Line>[];
  /** What would still be over the budget of the campaign. */
  readonly leftMicros: bigint;
}

/** Known days that a line needs before its pace says something. */
const fairDays = 3;
const unit = 1_000_000n;

interface Paced<Line> {
  readonly line: Line;
  readonly deliveredMicros: bigint;
  /** What it spends until its end with the budget that it has. */
  readonly spendsMicros: bigint;
  /** At its pace, whatever its budget; undefined where its pace is not known. */
  readonly paceMicros?: bigint;
  /** Below this its budget is not lowered. */
  readonly floorMicros: bigint;
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function pacedOf<Line extends AdvisedLine>(line: Line, today: string): Paced<Line> {
  const { startsOn, endsOn, budgetMicros: budget, reportedThrough } = line;
  const deliveredMicros = sum([...line.delivered.values()]);
  const over = earlier(shiftDay(today, -1), endsOn);
  const through = reportedThrough === undefined ? over : earlier(over, reportedThrough);
  const isKnown =
    silentDaysOf(line, over) < usualSilentDays && daysBetween(startsOn, through) + 1 >= fairDays;
  const daily = isKnown ? dailyRate(line, through) : 0n;
  const rest =
    isKnown && through < endsOn ? dailyRate(line, through, BigInt(daysBetween(through, endsOn))) : 0n;
  const pace = deliveredMicros + rest;
  const spends = !isKnown || deliveredMicros > budget ? max(pace, budget) : min(pace, budget);
  return {
    line,
    deliveredMicros,
    spendsMicros:
      line.state === 'over' ? deliveredMicros : line.state === 'held' ? max(pace, budget) : spends,
    floorMicros: max(deliveredMicros + daily, budget / 10n),
    ...(isKnown && line.state === 'open' && { paceMicros: pace }),
  };
}

/**
 * What to change of the budgets of a campaign, by a stated rule (docs/ledger.md#advice); undefined where it has nothing
 * to say. `planMicros` is the budget of the campaign.
 */
export function adviseBudgets<Line extends AdvisedLine>({
  today,
  planMicros,
  lines,
}: {
  readonly today: string;
  readonly planMicros: bigint;
  readonly lines: readonly Line[];
}): Advice<Line> | undefined {
  const paced = lines.map((line) => pacedOf(line, today));
  const bound = ({ line, deliveredMicros, spendsMicros }: Paced<Line>): bigint =>
    line.state === 'over' ? deliveredMicros : max(line.budgetMicros, spendsMicros);
  const free = planMicros - sum(paced.map(bound));
  if (free < 0n) return lowered(paced, -free);
  const unspent = planMicros - sum(paced.map(({ spendsMicros }) => spendsMicros));
  return unspent * 20n < planMicros ? undefined : moved(paced, { free, planMicros });
}

/** Takes the excess first from what no line would spend, then from the line whose thousand costs most. */
function lowered<Line extends AdvisedLine>(
  paced: readonly Paced<Line>[],
  excess: bigint,
): Advice<Line> | undefined {
  let left = excess;
  const cuts = new Map<Paced<Line>, Omit<BudgetChange<Line>, 'line'>>();
  const cut = (
    of: Paced<Line>,
    upTo: bigint,
    why: Pick<BudgetChange<Line>, 'why' | 'factMicros'>,
    least = of.floorMicros,
  ): void => {
    const budget = cuts.get(of)?.toMicros ?? of.line.budgetMicros;
    // Whole units, and never less than what is missing.
    const wanted = max(least, budget - min(upTo, left));
    const to = max(least, (wanted / unit) * unit);
    if (to >= budget) return;
    left -= budget - to;
    cuts.set(of, { ...why, toMicros: to });
  };
  const open = paced.filter(({ line }) => line.state === 'open');
  const slackOf = ({ line, spendsMicros }: Paced<Line>): bigint => line.budgetMicros - spendsMicros;
  for (const of of open.toSorted(by(slackOf)))
    if (left > 0n && slackOf(of) > 0n) cut(of, slackOf(of), { why: 'unspent', factMicros: slackOf(of) });
  const dearest = open.toSorted(by(({ line }) => line.cpmMicros ?? -1n));
  // No line loses more than half of its budget while another can be cut.
  for (const share of [2n, 10n])
    for (const of of dearest) {
      const { cpmMicros, budgetMicros } = of.line;
      const why = { why: 'dearest', ...(cpmMicros !== undefined && { factMicros: cpmMicros }) } as const;
      if (left > 0n) cut(of, left, why, max(of.floorMicros, budgetMicros / share));
    }
  if (cuts.size === 0) return undefined;
  return {
    kind: 'lower',
    amountMicros: excess - left,
    changes: [...cuts].map(([{ line }, change]) => ({ line, ...change })),
    leftMicros: max(left, 0n),
  };
}

/** Gives what would stay unspent to lines that spend more than their budget at their pace, the cheapest first. */
function moved<Line extends AdvisedLine>(
  paced: readonly Paced<Line>[],
  { free, planMicros }: { readonly free: bigint; readonly planMicros: bigint },
): Advice<Line> | undefined {
  const least = planMicros / 100n;
  const known = paced.flatMap((of) =>
    of.paceMicros === undefined ? [] : [{ line: of.line, room: of.paceMicros - of.line.budgetMicros }],
  );
  const givers = known.filter(({ room }) => -room >= least).toSorted(by(({ room }) => -room));
  const takers = known
    .filter(({ room }) => room >= least)
    .toSorted(by(({ line }) => (line.cpmMicros === undefined ? -(2n ** 62n) : -line.cpmMicros)));
  const given = min(sum(givers.map(({ room }) => -room)) + free, sum(takers.map(({ room }) => room)));
  const amountMicros = roundedDown(given);
  if (amountMicros < least || amountMicros === 0n) return undefined;
  const share = (of: typeof known, amount: bigint): BudgetChange<Line>[] => {
    let left = amount;
    return of.flatMap(({ line, room }) => {
      const part = min(left, room < 0n ? -room : room);
      left -= part;
      const change = room < 0n ? -part : part;
      const why = room < 0n ? 'unspent' : 'room';
      return part === 0n
        ? []
        : [{ line, toMicros: line.budgetMicros + change, why, factMicros: room < 0n ? -room : room }];
    });
  };
  const fromLines = share(givers, amountMicros);
  return {
    kind: fromLines.length > 0 ? 'move' : 'raise',
    amountMicros,
    changes: [...fromLines, ...share(takers, amountMicros)],
    leftMicros: 0n,
  };
}

/** The largest first. */
const by =
  <Item>(of: (item: Item) => bigint) =>
  (a: Item, b: Item): number =>
    of(a) === of(b) ? 0 : of(a) > of(b) ? -1 : 1;

/** To two digits of whole units: 4,210.50 becomes 4,200. */
function roundedDown(micros: bigint): bigint {
  const units = micros / unit;
  const step = 10n ** BigInt(Math.max(0, String(units).length - 2));
  return (units / step) * step * unit;
}
