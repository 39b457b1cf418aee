const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');
const pad = (of: number): string => String(of).padStart(2, '0');

/** A day in UTC for people: `1 Mar 2026`. Text that is no instant stays as it is. */
export function dayText(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime())
    ? iso
    : `${at.getUTCDate()} ${months[at.getUTCMonth()] ?? ''} ${at.getUTCFullYear()}`;
}

/** A month for people: `October 2026`, of `2026-10`. */
export function monthName(month: string): string {
  const at = new Date(`${month}-01T00:00:00Z`);
  return Number.isNaN(at.getTime())
    ? month
    : at.toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
}

/** The time of a day in UTC: `09:30`. */
export const clockText = (iso: string): string => {
  const at = new Date(iso);
  return `${pad(at.getUTCHours())}:${pad(at.getUTCMinutes())}`;
};

/** An instant in UTC for people: `1 Mar 2026 09:30`. */
export function timeText(iso: string): string {
  return Number.isNaN(new Date(iso).getTime()) ? iso : `${dayText(iso)} ${clockText(iso)}`;
}

/** A sentence of the server with its instants for people: `We ordered end_time 31 Jan 2027 00:00`. */
export const withTimes = (text: string): string =>
  text.replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z/g, timeText);

/** A flight for people: `14 – 30 Nov 2026`, `1 Aug – 30 Nov 2026`. */
export function rangeText(from: string, to: string): string {
  const [start, end] = [dayText(from), dayText(to)];
  if (start === end) return end;
  const [day = '', month = '', year = ''] = start.split(' ');
  const [, endMonth, endYear] = end.split(' ');
  if (year !== endYear) return `${start} – ${end}`;
  return month === endMonth ? `${day} – ${end}` : `${day} ${month} – ${end}`;
}

/** How long ago, or how soon: `3 min`, `2 h`, `5 d`. */
export function ageText(iso: string, now = Date.now()): string {
  const minutes = Math.abs(now - Date.parse(iso)) / 60_000;
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${Math.round(minutes)} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} d`;
}

/** An instant of the past for lists: `2 h ago`, `yesterday 17:40`, `24 Nov 09:12`. */
export function agoText(iso: string, now = Date.now()): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return iso;
  const today = Math.floor(now / 86_400_000);
  const day = Math.floor(at / 86_400_000);
  if (now - at < 60_000 && now >= at) return 'now';
  if (day === today && now >= at) return `${ageText(iso, now)} ago`;
  if (day === today - 1) return `yesterday ${clockText(iso)}`;
  return timeText(iso).replace(` ${new Date(now).getUTCFullYear()}`, '');
}

/** An instant, or a day. The reader's own time is shown on hover. */
export function Time({
  at,
  dateOnly,
  ago = false,
}: {
  readonly at: string | null | undefined;
  readonly dateOnly?: boolean;
  /** True in lists, where the age matters more than the instant. */
  readonly ago?: boolean;
}) {
  if (at === null || at === undefined || at === '') return <span>–</span>;
  const local = new Date(at);
  const title = Number.isNaN(local.getTime())
    ? at
    : `${timeText(at)} UTC; ${local.toLocaleString()} (your time)`;
  return (
    <time dateTime={at} title={title} style={{ whiteSpace: 'nowrap' }}>
      {dateOnly === true ? dayText(at) : ago ? agoText(at) : timeText(at)}
    </time>
  );
}
