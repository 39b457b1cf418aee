import { useElementSize } from '@mantine/hooks';
import { useId } from 'react';
import { decimal, micros, Money, moneyText } from './money.js';

/** What is left of a budget: what was delivered, what is booked and still runs, and what a plan would add. */
export interface Budget {
  readonly budget: string;
  readonly delivered: string;
  /** All that is booked, delivered or not. */
  readonly committed: string;
  /** What the plan would add. */
  readonly plan: string;
  readonly currency: string;
}

const at = (amount: string): bigint => micros(amount) ?? 0n;
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b);

/** The parts of a budget in micros. `over` is what plan and bookings pass it by. */
export function partsOf({ budget, delivered, committed, plan }: Omit<Budget, 'currency'>) {
  const booked = most(at(committed) - at(delivered), 0n);
  const free = most(at(budget) - at(delivered) - booked, 0n);
  const over = most(at(delivered) + booked + at(plan) - at(budget), 0n);
  return { delivered: at(delivered), booked, free, plan: at(plan), over };
}

/** One bar with the truth about a budget; what passes it is hatched. */
export function BudgetTruth({ of }: { readonly of: Budget }) {
  const { ref, width: measured } = useElementSize();
  const hatch = useId();
  const width = measured || 620;
  const height = 26;
  const { delivered, booked, free, plan, over } = partsOf(of);
  const within = plan > over ? plan - over : 0n;
  const whole = Number(most(at(of.budget), delivered + booked + plan)) || 1;
  const wide = (part: bigint): number => (width * Number(part)) / whole;
  const text = (part: bigint): string => moneyText(decimal(part), of.currency, 'whole');
  const bars = [
    ['delivered', delivered],
    ['booked', booked],
    ['plan', within],
    ['free', free > within ? free - within : 0n],
  ] as const;
  let x = 0;
  const drawn = bars.map(([name, part]) => {
    const own = { name, x, width: wide(part) };
    x += own.width;
    return own;
  });
  return (
    <div className="budget-truth">
      <div ref={ref}>
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`Of ${text(at(of.budget))} are ${text(delivered)} delivered and ${text(booked)} booked; this plan is ${text(plan)}${over > 0n ? `, ${text(over)} over the budget` : ''}.`}
        >
          <defs>
            <pattern
              id={hatch}
              width="9"
              height="9"
              patternUnits="userSpaceOnUse"
              patternTransform="rotate(45)"
            >
              <rect className="over" width="4.5" height="9" />
            </pattern>
          </defs>
          {drawn.map(({ name, x: from, width: size }) =>
            size > 0 ? <rect key={name} className={name} x={from} width={size} height={height} /> : undefined,
          )}
          {over > 0n && (
            <rect x={width - wide(over)} width={wide(over)} height={height} fill={`url(#${hatch})`} />
          )}
        </svg>
        {over > 0n && <b className="budget-over">{text(over)} over</b>}
      </div>
      <ul>
        {(
          [
            ['delivered', 'Delivered', delivered],
            ['booked', 'Booked, still to run', booked],
            ['free', 'Free', free],
            [over > 0n ? 'over' : 'plan', 'This plan', plan],
          ] as const
        ).map(([name, title, part]) => (
          <li key={title} data-part={name}>
            {title} <Money amount={decimal(part)} show="whole" />
          </li>
        ))}
      </ul>
    </div>
  );
}
