import { err, ok, type Result } from '@switchyard/values';
import type { JournalDocument } from './journal-export.js';
import type { BookFile, FileFault } from './journal-files.js';

/** Codes of the books, as finance has set them. */
export interface LayoutCodes {
  /** The code of an account of the ledger, of `vendor:SLUG`, or of another name; one that is missing is reported. */
  needed(key: string): string;
  /** The same, empty where there is none. */
  maybe(key: string): string;
}

/** A layout for the import of another accounting system: a package outside of the core (docs/guides/connectors.md). */
export interface BookLayout {
  readonly kind: 'books';
  /** Its name as a format, and before the slash of a code that is of this system alone. */
  readonly system: string;
  readonly title: string;
  /** Of a file, its header not counted. */
  readonly mostLines?: number;
  /**
   * The journal of a batch. The first row of each file is its header. Every document sums to zero, a debit is positive, and
   * amounts have the precision of their currency.
   */
  journal(documents: readonly JournalDocument[], codes: LayoutCodes): readonly BookFile[];
}

/** Writes a journal in a layout, and judges what the layout made of it: it is not our code. */
export function layoutFiles(
  layout: BookLayout,
  documents: readonly JournalDocument[],
  codes: ReadonlyMap<string, string>,
): Result<readonly BookFile[], FileFault> {
  const missing = new Set<string>();
  const maybe = (key: string): string => codes.get(`${layout.system}/${key}`) ?? codes.get(key) ?? '';
  const needed = (key: string): string => {
    const code = maybe(key);
    if (code === '') missing.add(key);
    return code;
  };
  const refused = (reason: string) => err({ missing: [], reason });
  let files: readonly BookFile[];
  try {
    files = layout.journal(documents, { maybe, needed });
  } catch {
    return refused(`The layout ${layout.system} could not write this batch.`);
  }
  if (missing.size > 0) return err({ missing: [...missing].sort() });
  for (const { name, rows } of files) {
    const [head] = rows;
    const isWhole = rows.every(
      (row) => row.length === head?.length && row.every((cell) => typeof cell === 'string'),
    );
    if (head === undefined || !isWhole || !/^[a-z0-9][a-z0-9.-]{0,80}$/.test(name))
      return refused(`The layout ${layout.system} wrote a file whose rows are not of one width.`);
    if (layout.mostLines !== undefined && rows.length - 1 > layout.mostLines)
      return refused(`${layout.title} imports ${layout.mostLines} lines of a journal at most.`);
  }
  return ok(files);
}
