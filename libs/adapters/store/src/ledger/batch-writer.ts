import type { StreamHead } from '@switchyard/journal';
import type {
  LedgerEntry,
  PackageMove,
  ReportRepository,
  ReportDecision,
  StoredVersion,
} from '@switchyard/ledger';
import type { Instant } from '@switchyard/values';
import { Flight } from '../core/flight.js';
import type { TenantClient } from '../core/tenant-client.js';
import { insertEntries, insertPostings, sealEntries } from './append-block.js';
import { addToPackages } from './package-spend.js';
import { insertVersions, moveMarks, type MarkedVersion } from './version-rows.js';

/**
 * Writes the decisions of one batch part by part, while the next part is decided: one block for all of it. Which
 * figures count is certain only at the end, so marks that a later part moved are corrected then.
 */
export class BatchWriter {
  readonly #flight = new Flight();
  readonly #entries: LedgerEntry[] = [];
  readonly #moves: PackageMove[] = [];
  /** Every version that is stored or sent. */
  readonly #marked: MarkedVersion[];

  constructor(
    private readonly client: TenantClient,
    private readonly head: StreamHead,
    stored: readonly StoredVersion[],
  ) {
    this.#marked = stored.map((version) => ({ version, isCurrent: version.isCurrent }));
  }

  add(decided: readonly ReportDecision[], repository: ReportRepository): void {
    const entries = decided.flatMap((decision) => decision.entries);
    const versions = decided.flatMap((decision) => decision.versions);
    if (entries.length === 0) return;
    this.#flight.send(
      insertVersions(this.client, versions, (version) => repository.isCounted(version)),
      insertEntries(this.client, this.head.number + 1n, this.#entries.length, entries),
      insertPostings(this.client, entries),
    );
    this.#entries.push(...entries);
    this.#moves.push(...decided.flatMap((decision) => decision.moves));
    this.#marked.push(...versions.map((version) => ({ version, isCurrent: repository.isCounted(version) })));
  }

  /** Ends the batch: marks, sums, block and head. */
  seal(repository: ReportRepository, now: Instant): void {
    this.#flight.send(
      moveMarks(this.client, this.#marked, (version) => repository.isCounted(version)),
      addToPackages(this.client, this.#moves),
      sealEntries(this.client, this.head, this.#entries, now),
    );
  }

  send(statement: Promise<unknown>): void {
    this.#flight.send(statement);
  }

  landed(): Promise<void> {
    return this.#flight.landed();
  }
}
