import type { Instant } from '@switchyard/values';
import { dayMs, isDayStart } from './zone.js';

/** A time zone that would explain the bounds of a seller's periods. A person confirms it. */
export interface ZoneProposal {
  /** IANA name. */
  readonly zone: string;
  /** How many bounds of periods it explains: all of them. */
  readonly bounds: number;
  /** Other zones that explain them as well, at most five. */
  readonly others: readonly string[];
}

/** Of zones with the same days, these names are known to most people. */
const usualZones = [
  ...['Europe/London', 'Europe/Berlin', 'Europe/Paris', 'Europe/Madrid', 'Europe/Warsaw', 'Europe/Helsinki'],
  ...['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles', 'America/Sao_Paulo'],
  ...[
    'Asia/Tokyo',
    'Asia/Kolkata',
    'Asia/Shanghai',
    'Asia/Singapore',
    'Australia/Sydney',
    'Pacific/Auckland',
  ],
];

/**
 * The zone in which every bound is the first moment of a day. Undefined where all are midnights in UTC, or no zone fits.
 * Of several, those in `preferred` come first.
 */
export function proposeZone(
  bounds: readonly Instant[],
  preferred: readonly string[] = [],
): ZoneProposal | undefined {
  const distinct = [...new Set(bounds)];
  if (distinct.every((bound) => bound % dayMs === 0)) return undefined;
  const fits = (zone: string): boolean => distinct.every((bound) => isDayStart(zone, bound));
  const usual = [...new Set([...preferred, ...usualZones])].filter(fits);
  // To try all zones of the world takes a tenth of a second, once.
  const fitting = usual.length > 0 ? usual : Intl.supportedValuesOf('timeZone').filter(fits);
  const [zone, ...others] = fitting;
  return zone === undefined ? undefined : { zone, bounds: distinct.length, others: others.slice(0, 5) };
}
