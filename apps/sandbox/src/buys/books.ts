import { appendFileSync, existsSync, mkdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname } from 'node:path';
import { isOver, type Buy } from './buy.js';
import type { SellerAccount } from '../accounts/seller-account.js';
import type { ForcedArm } from '../test-controller/forced-arm.js';
import type { LibraryCreative } from '../creatives/library-creative.js';
import type { Attempt, OutEvent } from '../webhooks/out-event.js';
import type { Activation, ProposalState, Replay } from './books-entry.js';
import type { SeededFormat } from '../creatives/seeded-format.js';
import type { SeededProduct } from './books-entry.js';
import type { SellerTask } from '../agent/seller-task.js';
import type { BooksEntry } from './books-entry.js';

/**
 * An append-only file of JSON lines. When `append` returns, the kernel has the line, so it outlives the process; a last
 * line that a kill cut short was never acknowledged, and is removed on opening.
 */
export class Journal<Entry> {
  constructor(private readonly path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  }

  read(): readonly Entry[] {
    if (!existsSync(this.path)) return [];
    const bytes = readFileSync(this.path);
    const lineEnd = bytes.lastIndexOf(10) + 1;
    if (lineEnd < bytes.length) truncateSync(this.path, lineEnd);
    const lines = bytes.subarray(0, lineEnd).toString('utf8').split('\n');
    return lines.filter((line) => line.length > 0).map((line) => JSON.parse(line) as Entry);
  }

  /** Throws if the line cannot be written, for example on a full disk. Then the file is as before. */
  append(entry: Entry): void {
    const size = (): number => statSync(this.path, { throwIfNoEntry: false })?.size ?? 0;
    const before = size();
    try {
      appendFileSync(this.path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    } catch (error) {
      if (size() > before) truncateSync(this.path, before);
      throw error;
    }
  }
}

/** Everything that one agent stores. Written before the answer; read whole at the next start. */
export class Books {
  readonly buys = new Map<string, Buy>();
  readonly tasks = new Map<string, SellerTask>();
  readonly creatives = new Map<string, LibraryCreative>();
  readonly seeded = new Map<string, SeededProduct>();
  readonly formats = new Map<string, SeededFormat>();
  readonly proposals = new Map<string, ProposalState>();
  readonly accounts = new Map<string, SellerAccount>();
  forcedArms: readonly ForcedArm[] = [];
  readonly replays = new Map<string, Replay>();
  readonly unsettled = new Map<string, OutEvent>();
  readonly activity: {
    readonly event: Omit<OutEvent, 'body'>;
    readonly bytes: number;
    readonly attempt: Attempt;
  }[] = [];
  readonly #activations = new Map<string, Activation>();
  readonly #attempts = new Map<string, number>();
  readonly #journal: Journal<BooksEntry>;

  constructor(path: string) {
    this.#journal = new Journal(path);
    for (const entry of this.#journal.read()) this.#apply(entry);
  }

  write(entry: BooksEntry): void {
    this.#journal.append(entry);
    this.#apply(entry);
  }

  activation(segmentId: string, target: string): Activation | undefined {
    return this.#activations.get(`${segmentId} ${target}`);
  }

  attemptsOf(key: string): number {
    return this.#attempts.get(key) ?? 0;
  }

  /** True if the buy's last report is sent and no webhook of it is pending. */
  isSettled(buy: Buy): boolean {
    if (!isOver(buy)) return false;
    // A rejected buy never ran, so it has no final report.
    if (buy.reporting && !buy.finalSent && buy.status !== 'rejected') return false;
    return ![...this.unsettled.values()].some((event) => event.mediaBuyId === buy.mediaBuyId);
  }

  #apply(entry: BooksEntry): void {
    if (entry.buy) this.buys.set(entry.buy.mediaBuyId, entry.buy);
    for (const buy of entry.assigned ?? []) this.buys.set(buy.mediaBuyId, buy);
    if (entry.task) this.tasks.set(entry.task.taskId, entry.task);
    for (const creative of entry.creatives ?? []) this.creatives.set(creative.creativeId, creative);
    if (entry.seeded) this.seeded.set(entry.seeded.productId, entry.seeded);
    if (entry.format) this.formats.set(`${entry.format.agentUrl} ${entry.format.id}`, entry.format);
    for (const each of entry.proposals ?? []) this.proposals.set(each.proposalId, each);
    for (const each of entry.accounts ?? []) this.accounts.set(each.accountId, each);
    if (entry.forcedArms) this.forcedArms = entry.forcedArms;
    if (entry.replay) this.replays.set(entry.replay.key, entry.replay);
    for (const event of entry.events ?? []) this.unsettled.set(event.key, event);
    for (const each of entry.activations ?? [])
      this.#activations.set(`${each.segmentId} ${each.target}`, each);
    if (entry.attempt) this.#applyAttempt(entry.attempt);
  }

  #applyAttempt(attempt: Attempt): void {
    this.#attempts.set(attempt.key, attempt.attempt);
    const event = this.unsettled.get(attempt.key);
    if (!event) return;
    const { body, ...rest } = event;
    this.activity.push({ event: rest, bytes: Buffer.byteLength(body), attempt });
    if (this.activity.length > 2000) this.activity.splice(0, 500);
    if (!attempt.settles) return;
    this.unsettled.delete(attempt.key);
    this.#attempts.delete(attempt.key);
  }
}
