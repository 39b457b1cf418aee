const months = 'January February March April May June July August September October November December'.split(
  ' ',
);

/** A day for people: `30 November 2026`. */
export function dayText(day: string): string {
  return `${String(Number(day.slice(8, 10)))} ${months[Number(day.slice(5, 7)) - 1] ?? ''} ${day.slice(0, 4)}`;
}

/** A month for people: `November 2026`. */
export const monthText = (period: string): string => dayText(`${period}-01`).slice(2);
