import { verifyStream, type Block, type StreamHead } from '@switchyard/journal';
import type { JsonObject } from '@switchyard/values';
import { readEntryBody } from './entry/entry-body.js';
import { auditPages, LedgerAudit, type LedgerProblem } from './ledger-audit.js';
import type { EntryRow, PostingRow } from './entry/audit-entry.js';
import type { StoredVersion } from './report/report-version.js';
import { PackageDays } from './package-days.js';
import type { LedgerArchive, LedgerSource } from './ledger-source.js';
import type { LedgerPage } from './ledger-source.js';

/** Types of columns in files, and of their members here: `number` and `instant` are numbers here. */
type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'instant';
type FileValue = string | bigint | boolean | Date | null;
type ArchiveRow = Readonly<Record<string, FileValue>>;

const members = {
  blocks: {
    number: 'integer',
    previousHash: 'text',
    hash: 'text',
    entryCount: 'number',
    sealedAt: 'instant',
  },
  entries: {
    block: 'integer',
    position: 'number',
    id: 'text',
    kind: 'text',
    operationId: 'text',
    mediaBuyId: 'text',
    seller: 'text',
    occurredAt: 'instant',
    body: 'text',
    hash: 'text',
  },
  postings: {
    block: 'integer',
    entryId: 'text',
    line: 'number',
    account: 'text',
    seller: 'text',
    mediaBuyId: 'text',
    day: 'text',
    currency: 'text',
    amountMicros: 'integer',
  },
  versions: {
    block: 'integer',
    id: 'text',
    connectionId: 'text',
    seller: 'text',
    mediaBuyId: 'text',
    sellerBuyId: 'text',
    packageRef: 'text',
    periodStart: 'instant',
    periodEnd: 'instant',
    granularity: 'text',
    measurementWindow: 'text',
    version: 'number',
    notificationType: 'text',
    isFinal: 'boolean',
    sequenceNumber: 'number',
    stream: 'text',
    reportedAt: 'instant',
    receivedAt: 'instant',
    source: 'text',
    eventId: 'text',
    operationId: 'text',
    currency: 'text',
    spendMicros: 'integer',
    spendText: 'text',
    impressions: 'integer',
    clicks: 'integer',
    entryId: 'text',
    // Absent in files from before figures had days of their own.
    zone: 'text',
    zoneBasis: 'text',
    firstDay: 'text',
    lastDay: 'text',
  },
} as const satisfies Record<string, Readonly<Record<string, Kind>>>;

export type ArchiveTable = keyof typeof members;
type ArchiveRows = Readonly<Record<ArchiveTable, readonly ArchiveRow[]>>;
export const archiveTables = Object.keys(members) as ArchiveTable[];

const columnOf = (member: string): string => member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const fileTypes = {
  text: 'text',
  boolean: 'boolean',
  integer: 'integer',
  number: 'integer',
  instant: 'time',
} as const;

/** The columns of a file, with their types. */
export function archiveColumns(table: ArchiveTable): Readonly<Record<string, (typeof fileTypes)[Kind]>> {
  const kinds: Readonly<Record<string, Kind>> = members[table];
  return Object.fromEntries(
    Object.entries(kinds).map(([member, kind]) => [columnOf(member), fileTypes[kind]]),
  );
}

function toFile(table: ArchiveTable, values: object): ArchiveRow {
  const given = values as Readonly<Record<string, string | number | bigint | boolean | null | undefined>>;
  const written = (kind: Kind, value: FileValue | number | undefined): FileValue => {
    if (typeof value !== 'number') return value ?? null;
    return kind === 'instant' ? new Date(value) : BigInt(value);
  };
  const kinds: Readonly<Record<string, Kind>> = members[table];
  return Object.fromEntries(
    Object.entries(kinds).map(([member, kind]) => [columnOf(member), written(kind, given[member])]),
  );
}

interface RowOfFile {
  readonly blocks: Omit<Block, 'stream' | 'entries'> & { readonly entryCount: number };
  readonly entries: Omit<EntryRow, 'entry'> & Block['entries'][number];
  readonly postings: PostingRow;
  readonly versions: Omit<StoredVersion, 'isCurrent'>;
}

function fromFile<T extends ArchiveTable>(table: T, row: ArchiveRow): RowOfFile[T] {
  const read = (kind: Kind, value: FileValue): unknown => {
    if (value instanceof Date) return value.getTime();
    return kind === 'number' && value !== null ? Number(value) : value;
  };
  const kinds: Readonly<Record<string, Kind>> = members[table];
  const found = Object.entries(kinds).map(([member, kind]) => [
    member,
    read(kind, row[columnOf(member)] ?? null),
  ]);
  return Object.fromEntries(found) as RowOfFile[T];
}

/** One page as rows of the four files. Every row has the number of its block. */
export function archiveRows({ block, entryCount, rows, postings, versions }: LedgerPage): ArchiveRows {
  const of = { block: block.number };
  return {
    blocks: [toFile('blocks', { ...block, entryCount })],
    entries: rows.map((row, at) => toFile('entries', { ...row, ...block.entries[at], ...of })),
    postings: postings.map((row) => toFile('postings', { ...row, ...of })),
    versions: versions.map((row) => toFile('versions', { ...row, ...of })),
  };
}

/**
 * The pages of a stream from its files. Versions do not count, unless their row is still in the tables: see
 * `withArchive`. Throws if a file has rows that belong to no block, or in another order.
 */
export async function* archivePages(
  stream: string,
  files: Readonly<Record<ArchiveTable, AsyncIterable<readonly ArchiveRow[]>>>,
): AsyncGenerator<LedgerPage> {
  const entries = new RowsInOrder(files.entries);
  const postings = new RowsInOrder(files.postings);
  const versions = new RowsInOrder(files.versions);
  for await (const group of files.blocks) {
    for (const row of group) {
      const { entryCount, ...block } = fromFile('blocks', row);
      const own = (await entries.of(block.number)).map((line) => fromFile('entries', line));
      yield {
        block: { stream, ...block, entries: own.map(({ body, hash }) => ({ body, hash })) },
        entryCount,
        rows: own.map((entry) => ({ ...entry, entry: readEntryBody(entry.body) })),
        postings: (await postings.of(block.number)).map((line) => fromFile('postings', line)),
        versions: (await versions.of(block.number)).map((line) => ({
          ...fromFile('versions', line),
          isCurrent: false,
        })),
      };
    }
  }
  for (const [name, rows] of Object.entries({ entries, postings, versions })) {
    if (!(await rows.isAtEnd())) throw new Error(`The archive's ${name} have rows that belong to no block.`);
  }
}

/** Rows of a file that are taken block by block. */
class RowsInOrder {
  readonly #groups: AsyncIterator<readonly ArchiveRow[]>;
  #group: readonly ArchiveRow[] = [];
  #at = 0;

  constructor(groups: AsyncIterable<readonly ArchiveRow[]>) {
    this.#groups = groups[Symbol.asyncIterator]();
  }

  async of(block: bigint): Promise<readonly ArchiveRow[]> {
    const own: ArchiveRow[] = [];
    while (!(await this.isAtEnd())) {
      const row = this.#group[this.#at];
      if (row?.['block'] !== block) break;
      own.push(row);
      this.#at += 1;
    }
    return own;
  }

  async isAtEnd(): Promise<boolean> {
    while (this.#at >= this.#group.length) {
      const next = await this.#groups.next();
      if (next.done === true) return true;
      this.#group = next.value;
      this.#at = 0;
    }
    return false;
  }
}

interface StretchVerdict {
  /** Sums of everything up to the end of the stretch. */
  readonly sums: JsonObject;
  /** Months of the days that it posts to, `YYYY-MM`. */
  readonly months: ReadonlySet<string>;
  readonly problems: readonly LedgerProblem[];
}

/**
 * Verifies one stretch of a stream, from the end of the archive before it (or from the first block) up to `head`: the
 * chain, and every row against its hashed entry. `each` gets every page, in order.
 */
export async function verifyStretch(
  pages: AsyncIterable<LedgerPage>,
  head: StreamHead,
  before: LedgerArchive | undefined,
  each: (page: LedgerPage) => Promise<void> = () => Promise.resolve(),
): Promise<StretchVerdict> {
  const audit = new LedgerAudit();
  const months = new Set<string>();
  async function* seen(): AsyncGenerator<LedgerPage> {
    for await (const page of pages) {
      for (const { day } of page.postings) months.add(day.slice(0, 7));
      await each(page);
      yield page;
    }
  }
  await auditPages(audit, seen(), (blocks) => verifyStream(blocks, head, [], before?.head));
  return { sums: audit.totals(before?.sums), months, problems: audit.finish({ rowsOnly: true }).problems };
}

/** The archived part of a ledger that is read together with its tables. */
export interface ArchivedPart {
  readonly end: LedgerArchive;
  /** All archives, the oldest first. */
  pages(): AsyncIterable<LedgerPage>;
  /** Of these versions, those whose row is still in the tables, because their figures counted at the time of the archive. */
  versionsInTables(ids: readonly string[]): Promise<ReadonlyMap<string, StoredVersion>>;
  /** Number of such rows. */
  readonly countInTables: bigint;
}

/** The whole ledger, from its files and its tables. */
export function withArchive(source: LedgerSource, archived: ArchivedPart): LedgerSource {
  const read = { entries: 0n, postings: 0n, versions: 0n };
  const days = new PackageDays();
  async function* all(): AsyncGenerator<LedgerPage> {
    for await (const page of archived.pages()) {
      const archivedVersions = await archived.versionsInTables(page.versions.map(({ id }) => id));
      read.entries += BigInt(page.rows.length);
      read.postings += BigInt(page.postings.length);
      read.versions += BigInt(page.versions.length);
      days.add(page);
      yield {
        ...page,
        versions: page.versions.map((version) => archivedVersions.get(version.id) ?? version),
      };
    }
    for await (const page of source.pages(archived.end.head.number)) {
      days.add(page);
      yield page;
    }
  }
  const { archive: _archive, ...tables } = source;
  return {
    ...tables,
    pages: all,
    counts: async () => {
      const counts = await source.counts();
      return {
        entries: counts.entries + read.entries,
        postings: counts.postings + read.postings,
        versions: counts.versions + read.versions - archived.countInTables,
      };
    },
    packagesThatDiffer: () => days.differing(source.packageMonths()),
  };
}
