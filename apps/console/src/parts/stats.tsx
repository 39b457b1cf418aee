import type { ReactNode } from 'react';
import { Spark } from './charts.js';

/** One figure: what it is, its value with a unit, and what to compare it with. */
export interface Stat {
  readonly label: string;
  readonly value: ReactNode;
  readonly unit?: ReactNode;
  readonly note?: ReactNode;
  readonly tone?: 'good' | 'warn' | 'bad' | undefined;
  /** The last days, oldest first. */
  readonly series?: readonly number[] | undefined;
}

/** Figures in a row; two by two where there is little room. */
export function Stats({ of, label }: { readonly of: readonly Stat[]; readonly label: string }) {
  return (
    <dl className="stats" aria-label={label}>
      {of.map(({ label: name, value, unit, note, tone, series }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <span className="stat-value">{value}</span> <span className="stat-unit">{unit}</span>
            {series !== undefined && series.length > 1 && (
              <Spark of={series} width={64} label={`${name}, day by day`} />
            )}
            <span className="stat-note" {...(tone !== undefined && { 'data-tone': tone })}>
              {note}
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
