import { useElementSize } from '@mantine/hooks';
import { Panel } from '../../../parts/panel.js';
import { dayText, rangeText } from '../../../parts/time.js';

/** When each line runs, with today and the last day of the campaign. Days are YYYY-MM-DD. */
export function PlanCalendar({
  lines,
  from,
  to,
  today,
  campaignEnd,
}: {
  readonly lines: readonly { readonly key: string; readonly name: string }[];
  readonly from: string;
  readonly to: string;
  readonly today: string;
  readonly campaignEnd: string | undefined;
}) {
  const { ref, width: measured } = useElementSize();
  const width = measured || 560;
  const time = (day: string): number => Date.parse(day) / 86_400_000;
  const ends = campaignEnd === undefined ? [from, to, today] : [from, to, today, campaignEnd];
  const first = Math.min(...ends.map(time));
  const span = Math.max(1, Math.max(...ends.map(time)) + 1 - first);
  const left = width > 480 ? 160 : 96;
  const x = (day: string, after = 0): number => left + ((time(day) + after - first) * (width - left)) / span;
  const [top, rowHeight] = [34, 24];
  const height = top + lines.length * rowHeight + 6;
  const months: string[] = [];
  for (let at = first; at < first + span; at += 1) {
    const day = new Date(at * 86_400_000).toISOString().slice(0, 10);
    if (day.endsWith('-01') || at === first) months.push(day);
  }
  const short = (text: string): string => (text.length > left / 7 ? `${text.slice(0, left / 7 - 1)}…` : text);
  /** Its words stand where no others are: beside the word of today there is no room. */
  const isLeft = campaignEnd !== undefined && x(campaignEnd, 1) < width * 0.6;
  const isLate = campaignEnd !== undefined && campaignEnd < to;
  return (
    <Panel title="Calendar" about={rangeText(from, to)}>
      <div ref={ref} className="chart">
        <svg
          width={width}
          height={height}
          role="img"
          aria-label={`All lines run ${rangeText(from, to)}.${campaignEnd === undefined ? '' : ` The campaign ends ${dayText(campaignEnd)}.`}`}
        >
          {months.map((day, at) =>
            at > 0 && x(day) - x(months[at - 1] ?? day) < 30 ? undefined : (
              <g key={day}>
                <line className="grid" x1={x(day)} x2={x(day)} y1={top - 8} y2={height} />
                <text x={x(day) + 4} y={12}>
                  {dayText(day).split(' ')[1]}
                </text>
              </g>
            ),
          )}
          {lines.map(({ key, name }, at) => (
            <g key={key}>
              <text x="0" y={top + at * rowHeight + 14}>
                {short(name)}
              </text>
              <rect
                className="day-bar"
                x={x(from)}
                y={top + at * rowHeight + 4}
                width={Math.max(2, x(to, 1) - x(from))}
                height="14"
                rx="3"
              />
            </g>
          ))}
          <line className="today" x1={x(today)} x2={x(today)} y1={top - 12} y2={height} />
          <text x={x(today) + 4} y={top - 6}>
            today
          </text>
          {isLate && (
            <>
              <line
                className="ends"
                x1={x(campaignEnd, 1)}
                x2={x(campaignEnd, 1)}
                y1={top - 12}
                y2={height}
              />
              <text
                className="ends"
                x={x(campaignEnd, 1) + (isLeft ? 4 : -4)}
                y={top - 6}
                textAnchor={isLeft ? 'start' : 'end'}
              >
                campaign ends
              </text>
            </>
          )}
        </svg>
      </div>
    </Panel>
  );
}
