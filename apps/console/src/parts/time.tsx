/** An instant in UTC, as `2026-03-01 09:30`; the reader's own time is shown on hover. */
export function timeText(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : at.toISOString().slice(0, 16).replace('T', ' ');
}

export function Time({
  at,
  dateOnly,
}: {
  readonly at: string | null | undefined;
  readonly dateOnly?: boolean;
}) {
  if (at === null || at === undefined || at === '') return <span>–</span>;
  const local = new Date(at);
  const title = Number.isNaN(local.getTime()) ? at : `${local.toLocaleString()} (your time)`;
  return (
    <time dateTime={at} title={title} style={{ whiteSpace: 'nowrap' }}>
      {dateOnly === true ? timeText(at).slice(0, 10) : `${timeText(at)} UTC`}
    </time>
  );
}

/** How long ago, or how soon: `3 min`, `2 h`, `5 d`. */
export function ageText(iso: string, now = Date.now()): string {
  const minutes = Math.abs(now - Date.parse(iso)) / 60_000;
  if (minutes < 1) return 'less than a minute';
  if (minutes < 60) return `${Math.round(minutes)} min`;
  return minutes < 2_880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1_440)} d`;
}
