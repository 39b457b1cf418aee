import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { clockText, rangeText } from './time.js';

/** One thing that happened. */
export interface Moment {
  readonly at: string;
  /** Of one kind many on a day become one line. */
  readonly kind: string;
  readonly title: ReactNode;
  readonly text?: ReactNode;
  readonly tone?: 'good' | 'warn' | 'bad' | 'accent' | undefined;
  /** What a line says that stands for some of this kind: `delivery reports`. Without it none are joined. */
  readonly plural?: string;
}

interface Line {
  readonly moments: readonly Moment[];
}

/** From how many of one kind on a day they become one line. */
const joinedFrom = 4;

/** The lines of one day: many of one kind are joined where the first of them stands. */
export function linesOf(moments: readonly Moment[]): readonly Line[] {
  const counts = new Map<string, Moment[]>();
  for (const moment of moments)
    if (moment.plural !== undefined) counts.set(moment.kind, [...(counts.get(moment.kind) ?? []), moment]);
  const isDone = new Set<string>();
  return moments.flatMap((moment) => {
    const same = moment.plural === undefined ? [] : (counts.get(moment.kind) ?? []);
    if (same.length < joinedFrom) return [{ moments: [moment] }];
    if (isDone.has(moment.kind)) return [];
    isDone.add(moment.kind);
    return [{ moments: same }];
  });
}

/** Days that are shown under one head, the newest first. */
interface Span {
  readonly from: string;
  readonly to: string;
  readonly moments: readonly Moment[];
}

const onlyKind = (moments: readonly Moment[]): string | undefined => {
  const [first] = moments;
  return first?.plural !== undefined && moments.every(({ kind }) => kind === first.kind)
    ? first.kind
    : undefined;
};

/** The days of moments; days one after another on which nothing but one repeated kind happened are one. */
export function spansOf(sorted: readonly Moment[], today: string): readonly Span[] {
  const days = new Map<string, Moment[]>();
  for (const moment of sorted) {
    const day = moment.at.slice(0, 10);
    days.set(day, [...(days.get(day) ?? []), moment]);
  }
  const spans: Span[] = [];
  for (const [day, moments] of days) {
    const before = spans.at(-1);
    const kind = onlyKind(moments);
    if (before !== undefined && kind !== undefined && before.to < today && onlyKind(before.moments) === kind)
      spans[spans.length - 1] = { from: day, to: before.to, moments: [...before.moments, ...moments] };
    else spans.push({ from: day, to: day, moments });
  }
  return spans;
}

/** What happened, the newest day first, grouped by day and kind. */
export function HistoryList({ of, most = 12 }: { readonly of: readonly Moment[]; readonly most?: number }) {
  const [shown, setShown] = useState(most);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const sorted = of.toSorted((a, b) => (a.at < b.at ? 1 : -1));
  const today = new Date().toISOString().slice(0, 10);
  const spans = spansOf(sorted, today);
  let left = shown;
  return (
    <>
      <ul className="history">
        {spans.map(({ from, to, moments }) => {
          if (left <= 0) return undefined;
          const lines = linesOf(moments).slice(0, left);
          left -= lines.length;
          const day = to === today ? 'Today' : rangeText(from, to).replace(` ${today.slice(0, 4)}`, '');
          return (
            <li key={to}>
              <h3>{day}</h3>
              <ol>
                {lines.flatMap(({ moments: same }, at) => {
                  const [first] = same;
                  if (first === undefined) return [];
                  const key = `${to} ${first.kind}`;
                  if (same.length === 1 || open.has(key))
                    return same.map((moment, index) => <One key={`${key} ${at} ${index}`} of={moment} />);
                  return [
                    <li key={`${key} ${at}`} data-tone={first.tone}>
                      <b>
                        {same.length} {first.plural}
                      </b>
                      <small>
                        last {clockText(first.at)}{' '}
                        <button
                          type="button"
                          className="text-button"
                          onClick={() => setOpen(new Set([...open, key]))}
                        >
                          Show
                          <span className="unseen">
                            {' '}
                            {first.plural} of {day}
                          </span>
                        </button>
                      </small>
                    </li>,
                  ];
                })}
              </ol>
            </li>
          );
        })}
      </ul>
      {left <= 0 && (
        <Button variant="subtle" size="compact-xs" mt={8} onClick={() => setShown(shown + 50)}>
          Show more
        </Button>
      )}
    </>
  );
}

function One({ of: { at, title, text, tone } }: { readonly of: Moment }) {
  return (
    <li data-tone={tone}>
      <b>{title}</b>
      <small>
        <time dateTime={at}>{clockText(at)}</time>
        {text !== undefined && text !== '' && <> · {text}</>}
      </small>
    </li>
  );
}
