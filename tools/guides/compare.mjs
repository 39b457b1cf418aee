/** How lines that a page shows are found in what a command prints. */

const id = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b(?:mb|task|pkg)_[\w-]{8,}/g;
/** The month in which the pages were written: their months are counted from it. */
const written = { year: 2026, month: 11 };

/** Days that a month is old when the past quarter of the sandbox has it as its open one (`history-requests.ts`). */
const openFromDay = 9;

/**
 * The same text with the months of 2026 that a page names moved as far as the open month of the sandbox is after the month of
 * the pages. A day that would then be after today, or that its new month does not have, is moved one month less.
 */
export function thisMonth(text, known = new Map(), today = new Date()) {
  const open = new Date(today.getTime() - openFromDay * 86_400_000);
  const after = (open.getUTCFullYear() - written.year) * 12 + open.getUTCMonth() + 1 - written.month;
  if (after === 0 || known.has(text)) return text;
  const moved = (month, months) =>
    new Date(Date.UTC(written.year, Number(month) - 1 + months)).toISOString().slice(0, 7);
  return text.replace(/\b2026-(0[89]|1[0-2])(-\d\d(?!\d))?(?![\d-])/g, (_, month, day = '') => {
    const whole = `${moved(month, after)}${day}`;
    const exists = day === '' || new Date(`${whole}T00:00:00Z`).toJSON()?.startsWith(whole);
    return exists && whole <= today.toISOString().slice(0, whole.length)
      ? whole
      : `${moved(month, after - 1)}${day}`;
  });
}

const escaped = (text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A line without what differs from run to run. */
const masked = (line) =>
  line
    .trim()
    .replaceAll(id, '#')
    .replaceAll(/\b[0-9a-f]{16,}\b|\b(?:sy|sw)_[\w-]+|\b(?=[\w-]*\d)[\w-]{24,}\b/g, '#')
    .replaceAll(/\d{4}-\d\d(?:-\d\d)?(?:T[\d:.]+Z)?/g, '#')
    .replaceAll(/-?\d[\d.,:]*/g, '#')
    .replaceAll(/# (?:s|min|h|d) ago/g, '# ago')
    .replaceAll(/#(?:, #)+/g, '#')
    .replaceAll(/: [a-z_]+,/g, ': ~,')
    .replaceAll(/ \/\S+\/([\w.-]+)/g, ' /~/$1')
    .replaceAll(/ {2,}/g, '  ');

const cellsOf = (line) => line.trim().split(/ {2,}/);

/** Whether a line of a page is among those that were printed. */
export function isShown(line, printed) {
  if (line.trim() === '' || line.trim() === '[...]') return true;
  const wanted = masked(line);
  const parts = wanted.split(/\[\.{3}\]|\.{3}|…/).map((part) => escaped(part.trim()).replaceAll(/ +/g, ' +'));
  const whole = new RegExp(`^${parts.join('.*')}$`);
  const cells = cellsOf(wanted);
  // The rest of a cell that is wrapped: where it is wrapped depends on the other rows.
  if (/^ {8,}\S/.test(line)) return cells.every((cell) => printed.some((one) => masked(one).includes(cell)));
  const member = /^\s*[{[]?\s*"(\w+)":/.exec(line)?.[1];
  return printed.some((one) => {
    const real = masked(one);
    if (whole.test(real)) return true;
    if (member !== undefined) return one.includes(`"${member}":`);
    const found = cellsOf(real);
    return (
      cells.length > 1 &&
      found.length > 1 &&
      (cells[0] === found[0] || cells.every((cell) => real.includes(cell)))
    );
  });
}

/** Pairs of an id that a page shows and the one that was printed beside the same words. */
export function idsOf(shown, all) {
  const printed = all.split('\n');
  return shown.flatMap((line) => {
    const ids = line.match(id) ?? [];
    const same = printed.find(
      (one) =>
        (one.match(id) ?? []).length === ids.length && cellsOf(masked(one))[0] === cellsOf(masked(line))[0],
    );
    return ids.map((found, place) => [found, same?.match(id)[place] ?? found]);
  });
}

const codes = [
  [/^Another person must approve this/, 6],
  [/signer unknown/, 3],
  [
    /^\S.*\((?:[A-Z]+_)*[A-Z]+(?:, at [^)]+)?\)$|is not intact|is invalid|is refused|^0 of \d+ sellers are live/,
    1,
  ],
];

/** The exit code that the lines of a page speak of. */
export const exitCodeOf = (shown) =>
  codes.find(([words]) => shown.some((line) => words.test(line)))?.[1] ?? 0;
