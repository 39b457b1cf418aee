import { useElementSize } from '@mantine/hooks';
import { useId } from 'react';
import { moneyText, percentOf, shortText } from './money.js';
import { dayText } from './time.js';

/** Numbers here are for drawing alone; shown amounts are made of their text. */
const path = (points: readonly (readonly [number, number])[]): string =>
  points.map(([x, y], at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('');

/** The last days as a small line. It need not begin at zero. */
export function Spark({
  of,
  width = 68,
  height = 24,
  tone = 'plain',
  label,
}: {
  readonly of: readonly number[];
  readonly width?: number;
  readonly height?: number;
  readonly tone?: 'plain' | 'bad' | 'quiet';
  readonly label: string;
}) {
  if (of.length < 2) return <span>–</span>;
  const high = Math.max(...of);
  // A small change of a large value is drawn small.
  const low = Math.min(...of, high * 0.6);
  const points = of.map(
    (value, at) =>
      [
        2 + (at * (width - 5)) / Math.max(1, of.length - 1),
        high === low ? height - 3 : height - 3 - ((value - low) * (height - 6)) / (high - low),
      ] as const,
  );
  const [x = 0, y = 0] = points.at(-1) ?? [];
  return (
    <svg className="spark" data-look={tone} width={width} height={height} role="img" aria-label={label}>
      <path className="area" d={`${path(points)}L${x} ${height}L2 ${height}Z`} />
      <path className="line" d={path(points)} />
      <circle cx={x} cy={y} r="2" />
    </svg>
  );
}

/** How far a delivery is: what was delivered, the mark of the plan by today, and what is over the budget, hatched. */
export function PacingBar({
  delivered,
  planned,
  forecast,
  budget,
  currency,
  width = 122,
}: {
  readonly delivered: string;
  readonly planned?: string | undefined;
  readonly forecast?: string | undefined;
  readonly budget: string;
  readonly currency: string;
  readonly width?: number;
}) {
  const hatch = useId();
  const done = percentOf(delivered, budget);
  const due = planned === undefined ? undefined : percentOf(planned, budget);
  const end = Math.max(100, forecast === undefined ? 0 : percentOf(forecast, budget), done);
  const at = (percent: number): number => (width * Math.min(percent, end)) / end;
  const text = `${moneyText(delivered, currency, 'whole')} delivered of ${moneyText(budget, currency, 'whole')}${
    planned === undefined ? '' : `; planned by now ${moneyText(planned, currency, 'whole')}`
  }${forecast === undefined ? '' : `; forecast ${moneyText(forecast, currency, 'whole')}`}`;
  return (
    <svg className="pacing-bar" width={width} height={14} role="img" aria-label={text}>
      <title>{text}</title>
      <defs>
        <pattern id={hatch} width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <rect className="over" width="2.2" height="5" />
        </pattern>
      </defs>
      <rect className="ground" y="3" width={width} height="8" rx="4" />
      {end > 100 && <rect x={at(100)} y="3" width={width - at(100)} height="8" fill={`url(#${hatch})`} />}
      <rect className="done" y="3" width={at(Math.min(done, 100))} height="8" rx="4" />
      {due !== undefined && (
        <rect className="due" x={Math.min(width - 2, at(due))} width="2" height="14" rx="1" />
      )}
    </svg>
  );
}

export interface DayFigures {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly planned?: string | undefined;
  readonly delivered: string;
}

/** Sums of a plan and its delivery, day by day, with budget, today and the forecast. */
export function LineArea({
  days,
  through,
  endsOn,
  budget,
  forecast,
  currency,
  message,
}: {
  readonly days: readonly DayFigures[];
  /** The last day with figures, YYYY-MM-DD. */
  readonly through: string;
  readonly endsOn: string;
  readonly budget?: string | undefined;
  readonly forecast?: string | undefined;
  readonly currency: string;
  /** What the chart says, as one sentence. */
  readonly message: string;
}) {
  const { ref, width: measured } = useElementSize();
  const width = measured || 620;
  const height = 216;
  const [left, right, top, bottom] = [44, width > 480 ? 96 : 12, 18, 24];
  const first = days[0]?.day ?? endsOn;
  const time = (day: string): number => Date.parse(day) / 86_400_000;
  const span = Math.max(1, time(endsOn) - time(first));
  let [planned, delivered] = [0, 0];
  const sums = days.map((day) => {
    planned += Number(day.planned ?? 0);
    delivered += Number(day.delivered);
    return { day: day.day, planned, delivered };
  });
  const most = Math.max(Number(budget ?? 0), Number(forecast ?? 0), planned, delivered, 1);
  const step = niceStep(most);
  const ceiling = Math.ceil(most / step) * step;
  const x = (day: string): number => left + ((time(day) - time(first)) * (width - left - right)) / span;
  const y = (value: number): number => height - bottom - (value * (height - top - bottom)) / ceiling;
  const done = sums.filter(({ day }) => day <= through);
  const last = done.at(-1);
  const line = done.map(({ day, delivered: sum }) => [x(day), y(sum)] as const);
  const ticks = Array.from({ length: Math.round(ceiling / step) + 1 }, (_, at) => at * step);
  const months = sums.filter(
    ({ day }) => day.endsWith('-01') && x(day) > left + 40 && x(day) < width - right - 30,
  );
  return (
    <div ref={ref} className="chart" style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={message}>
        <Ticks at={ticks} from={left} to={width - right} y={y} />
        <text x={left} y={height - 6}>
          {dayText(first).slice(0, -5)}
        </text>
        {months.map(({ day }) => (
          <text key={day} x={x(day)} y={height - 6} textAnchor="middle">
            {dayText(day).split(' ')[1]}
          </text>
        ))}
        <text x={width - right} y={height - 6} textAnchor="end">
          {dayText(endsOn).slice(0, -5)}
        </text>
        {budget !== undefined && (
          <>
            <line
              className="budget"
              x1={left}
              x2={width - right}
              y1={y(Number(budget))}
              y2={y(Number(budget))}
            />
            {right > 20 && (
              <text x={width - right + 7} y={y(Number(budget)) + 4}>
                Budget {shortText(String(Math.round(Number(budget))))}
              </text>
            )}
          </>
        )}
        {planned > 0 && (
          <>
            <path className="plan" d={path(sums.map(({ day, planned: sum }) => [x(day), y(sum)] as const))} />
            <PlanLabel sums={sums} x={x} y={y} />
          </>
        )}
        {last !== undefined && (
          <>
            <path
              className="area"
              d={`${path(line)}L${x(last.day)} ${y(0)}L${x(done[0]?.day ?? first)} ${y(0)}Z`}
            />
            <path className="line" d={path(line)} />
            <line className="today" x1={x(last.day)} x2={x(last.day)} y1={top - 6} y2={height - bottom} />
            <text x={x(last.day) - 6} y={top - 6 + 4} textAnchor="end">
              to {dayText(last.day).slice(0, -5)}
            </text>
            {forecast !== undefined && (
              <>
                <path
                  className="forecast"
                  d={path([
                    [x(last.day), y(last.delivered)],
                    [width - right, y(Number(forecast))],
                  ])}
                />
                {right > 20 && (
                  <text
                    className="strong"
                    x={width - right + 7}
                    y={y(Number(forecast)) + 4 + clash(budget, forecast, most)}
                  >
                    Forecast {shortText(String(Math.round(Number(forecast))))}
                  </text>
                )}
              </>
            )}
            <circle cx={x(last.day)} cy={y(last.delivered)} r="4" />
          </>
        )}
      </svg>
      <details className="as-table">
        <summary>Show as table</summary>
        <div className="table-scroll" tabIndex={0} role="region" aria-label="The figures of the chart">
          <table>
            <thead>
              <tr>
                <th>Day</th>
                <th className="number">Planned, {currency}</th>
                <th className="number">Delivered, {currency}</th>
              </tr>
            </thead>
            <tbody>
              {days.map((day) => (
                <tr key={day.day}>
                  <td>{dayText(day.day)}</td>
                  <td className="number">
                    {day.planned === undefined ? '–' : moneyText(day.planned, null, 'cents')}
                  </td>
                  <td className="number">{moneyText(day.delivered, null, 'cents')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </div>
  );
}

/** Lines across a chart, each with its amount. */
function Ticks({
  at,
  from,
  to,
  y,
}: {
  readonly at: readonly number[];
  readonly from: number;
  readonly to: number;
  readonly y: (value: number) => number;
}) {
  return at.map((value) => (
    <g key={value}>
      <line className="grid" x1={from} x2={to} y1={y(value)} y2={y(value)} />
      <text x={from - 8} y={y(value) + 4} textAnchor="end">
        {shortText(String(value))}
      </text>
    </g>
  ));
}

function PlanLabel({
  sums,
  x,
  y,
}: {
  readonly sums: readonly { readonly day: string; readonly planned: number }[];
  readonly x: (day: string) => number;
  readonly y: (value: number) => number;
}) {
  const middle = sums[Math.floor(sums.length / 2)];
  return middle === undefined ? undefined : (
    <text x={x(middle.day) - 8} y={y(middle.planned) - 6} textAnchor="end">
      Plan
    </text>
  );
}

/** Pixels that a label moves down where it would lie on another. */
const clash = (budget: string | undefined, forecast: string, most: number): number =>
  budget !== undefined && Math.abs(Number(budget) - Number(forecast)) / most < 0.07 ? 14 : 0;

/** A round distance between lines, for about five of them. */
function niceStep(most: number): number {
  const rough = most / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10) * power;
}

/** One bar for each row, with its value beside it. */
export function AmountBars({
  rows,
  currency,
}: {
  readonly rows: readonly {
    readonly label: string;
    readonly amount: string;
    readonly tone?: 'good' | 'warn' | 'bad' | 'accent';
  }[];
  readonly currency: string;
}) {
  const most = Math.max(...rows.map(({ amount }) => Number(amount)), 1);
  return (
    <ul className="amount-bars">
      {rows.map(({ label, amount, tone = 'accent' }) => (
        <li key={label} data-tone={tone}>
          <span>{label}</span>
          <data value={amount} title={`${amount} ${currency}`}>
            {moneyText(amount, null)}
          </data>
          <i style={{ width: `${(100 * Math.max(0, Number(amount))) / most}%` }} />
        </li>
      ))}
    </ul>
  );
}

/** The days of a month as bars from zero, some of them marked, as one sentence says. */
export function DayBars({
  rows,
  marked,
  message,
}: {
  readonly rows: readonly { readonly day: string; readonly amount: string; readonly isMarked: boolean }[];
  /** What the marked ones are. */
  readonly marked: string;
  readonly message: string;
}) {
  const { ref, width: measured } = useElementSize();
  const width = measured || 620;
  const [height, bottom] = [84, 20];
  const most = Math.max(...rows.map(({ amount }) => Number(amount)), 1);
  const slot = width / Math.max(1, rows.length);
  return (
    <div ref={ref} className="chart" style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={message}>
        <line className="grid" x1="0" x2={width} y1={height - bottom} y2={height - bottom} />
        {rows.map(({ day, amount, isMarked }, at) => {
          const size = (Math.max(0, Number(amount)) * (height - bottom - 4)) / most;
          const isLast = at === rows.length - 1;
          return (
            <g key={day}>
              <rect
                className={isMarked ? 'day-bar marked' : 'day-bar'}
                x={slot * at + slot * 0.1}
                y={height - bottom - size}
                width={slot * 0.8}
                height={size}
                rx="2"
              >
                <title>{`${dayText(day)}: ${moneyText(amount, null, 'cents')}${isMarked ? `, ${marked}` : ''}`}</title>
              </rect>
              {(at % 7 === 0 || isLast) && !(at % 7 === 0 && rows.length - at < 4 && !isLast) && (
                <text
                  x={isLast ? width : at === 0 ? 0 : slot * (at + 0.5)}
                  y={height - 5}
                  textAnchor={isLast ? 'end' : at === 0 ? 'start' : 'middle'}
                >
                  {at === 0 ? dayText(day).slice(0, -5) : dayText(day).split(' ')[0]}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** A bar for each day or month, from zero; amounts below zero hang. */
export function TimeBars({
  rows,
  message,
}: {
  readonly rows: readonly { readonly label: string; readonly amount: string }[];
  /** What the chart says, as one sentence. */
  readonly message: string;
}) {
  const { ref, width: measured } = useElementSize();
  const width = measured || 620;
  const height = 200;
  const [left, right, top, bottom] = [48, 8, 12, 24];
  const numbers = rows.map(({ amount }) => Number(amount));
  const step = niceStep(Math.max(...numbers, 1));
  const ceiling = Math.ceil(Math.max(...numbers, 1) / step) * step;
  const floor = Math.min(0, ...numbers);
  const y = (value: number): number =>
    height - bottom - ((value - floor) * (height - top - bottom)) / (ceiling - floor);
  const slot = (width - left - right) / Math.max(1, rows.length);
  const every = Math.max(1, Math.ceil(84 / slot));
  const ticks = Array.from({ length: Math.round(ceiling / step) + 1 }, (_, at) => at * step);
  return (
    <div ref={ref} className="chart" style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={message}>
        <Ticks at={ticks} from={left} to={width - right} y={y} />
        {rows.map(({ label, amount }, at) => {
          const value = Number(amount);
          const wide = Math.min(40, slot * 0.7);
          const middle = left + slot * (at + 0.5);
          return (
            <g key={label}>
              <rect
                className="day-bar"
                x={middle - wide / 2}
                y={Math.min(y(value), y(0))}
                width={wide}
                height={Math.abs(y(value) - y(0))}
                rx="2"
              >
                <title>{`${label}: ${moneyText(amount, null)}`}</title>
              </rect>
              {(rows.length - 1 - at) % every === 0 && (
                <text
                  x={middle}
                  y={height - 6}
                  textAnchor={at === rows.length - 1 && rows.length > 1 ? 'end' : 'middle'}
                >
                  {label}
                </text>
              )}
            </g>
          );
        })}
      </svg>
    </div>
  );
}

/** The state of each day as a strip, with what the strip says as one sentence. */
export function DayStrip({
  days,
  message,
  width = 126,
  height = 18,
}: {
  readonly days: readonly { readonly day: string; readonly tone: 'good' | 'warn' | 'bad' | 'none' }[];
  readonly message: string;
  readonly width?: number;
  readonly height?: number;
}) {
  const slot = width / Math.max(1, days.length);
  return (
    <svg className="day-strip" width={width} height={height} role="img" aria-label={message}>
      <title>{message}</title>
      {days.map(({ day, tone }, at) => {
        const size = tone === 'good' || tone === 'none' ? height - 5 : height;
        return (
          <rect
            key={day}
            data-tone={tone}
            x={slot * at}
            y={(height - size) / 2}
            width={slot * 0.72}
            height={size}
            rx="1"
          />
        );
      })}
    </svg>
  );
}

/** Values of days as lines from zero, each with its name at its end. */
export function DayLines({
  lines,
  unit,
  message,
}: {
  readonly lines: readonly {
    readonly name: string;
    readonly points: readonly { readonly day: string; readonly value: number }[];
  }[];
  readonly unit: string;
  /** What the chart says, as one sentence. */
  readonly message: string;
}) {
  const { ref, width: measured } = useElementSize();
  const width = measured || 620;
  const height = 132;
  const [left, right, top, bottom] = [40, 74, 10, 22];
  const all = lines.flatMap(({ points }) => points);
  const days = [...new Set(all.map(({ day }) => day))].toSorted();
  const [first, last] = [days[0], days.at(-1)];
  if (first === undefined || last === undefined || first === last) return undefined;
  const step = niceStep(Math.max(...all.map(({ value }) => value), 1) * 1.6);
  const ceiling = Math.ceil(Math.max(...all.map(({ value }) => value), 1) / step) * step;
  const span = Date.parse(last) - Date.parse(first);
  const x = (day: string): number =>
    left + ((Date.parse(day) - Date.parse(first)) * (width - left - right)) / span;
  const y = (value: number): number => height - bottom - (value * (height - top - bottom)) / ceiling;
  const ticks = Array.from({ length: Math.round(ceiling / step) + 1 }, (_, at) => at * step);
  const shown = [first, days[Math.floor(days.length / 3)], days[Math.floor((2 * days.length) / 3)], last];
  return (
    <div ref={ref} className="chart" style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={message}>
        <Ticks at={ticks} from={left} to={width - right} y={y} />
        {shown.map(
          (day, at) =>
            day !== undefined && (
              <text
                key={day}
                x={x(day)}
                y={height - 5}
                textAnchor={at === 0 ? 'start' : at === shown.length - 1 ? 'end' : 'middle'}
              >
                {dayText(day).slice(0, -5)}
              </text>
            ),
        )}
        {lines.map(({ name, points }, at) => (
          <g key={name} className={at === 0 ? undefined : 'second'}>
            <path className="line" d={path(points.map(({ day, value }) => [x(day), y(value)] as const))} />
            <text
              className={at === 0 ? 'strong' : undefined}
              x={width - right + 7}
              y={y(points.at(-1)?.value ?? 0) + 4}
            >
              {name}
            </text>
          </g>
        ))}
        <text x={0} y={top - 1} className="unseen">
          {unit}
        </text>
      </svg>
    </div>
  );
}

/** Two amounts of each month side by side, the second with its part that is in dispute. */
export function MonthBars({
  rows,
  message,
}: {
  readonly rows: readonly {
    readonly label: string;
    readonly delivered: string;
    readonly invoiced: string;
    readonly disputed: string;
  }[];
  /** What the chart says, as one sentence. */
  readonly message: string;
}) {
  const { ref, width: measured } = useElementSize();
  const width = measured || 620;
  const height = 200;
  const [left, right, top, bottom] = [40, 4, 20, 24];
  const most = Math.max(
    ...rows.flatMap(({ delivered, invoiced }) => [Number(delivered), Number(invoiced)]),
    1,
  );
  const step = niceStep(most);
  const ceiling = Math.ceil(most / step) * step;
  const y = (value: number): number => height - bottom - (value * (height - top - bottom)) / ceiling;
  const slot = (width - left - right) / Math.max(1, rows.length);
  const wide = Math.min(34, slot * 0.3);
  const ticks = Array.from({ length: Math.round(ceiling / step) + 1 }, (_, at) => at * step);
  return (
    <div ref={ref} className="chart" style={{ minHeight: height }}>
      <svg width={width} height={height} role="img" aria-label={message}>
        <Ticks at={ticks} from={left} to={width - right} y={y} />
        {rows.map(({ label, delivered, invoiced, disputed }, at) => {
          const middle = left + slot * (at + 0.5);
          const bars = [
            [delivered, middle - wide - 2, 'bar-1'],
            [invoiced, middle + 2, 'bar-2'],
          ] as const;
          return (
            <g key={label}>
              {bars.map(([amount, from, look]) => (
                <g key={look}>
                  <rect
                    className={look}
                    x={from}
                    y={y(Number(amount))}
                    width={wide}
                    height={y(0) - y(Number(amount))}
                    rx="2"
                  >
                    <title>{`${label}: ${moneyText(amount, null, 'cents')}`}</title>
                  </rect>
                  {width > 480 && Number(amount) > 0 && (
                    <text x={from + wide / 2} y={y(Number(amount)) - 5} textAnchor="middle">
                      {shortText(String(Math.round(Number(amount))))}
                    </text>
                  )}
                </g>
              ))}
              {Number(disputed) > 0 && (
                <rect
                  className="bar-disputed"
                  x={middle + 2}
                  y={y(Number(invoiced))}
                  width={wide}
                  height={Math.max(3, y(0) - y(Number(disputed)))}
                />
              )}
              <text x={middle} y={height - 6} textAnchor="middle">
                {label}
              </text>
            </g>
          );
        })}
      </svg>
    </div>
  );
}
