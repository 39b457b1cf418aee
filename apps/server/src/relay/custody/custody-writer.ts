import type { CustodyRecord, Ended, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';

interface CustodyWriterDeps {
  readonly log: Pick<RelayLog, 'refuse' | 'seal'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

export interface CustodyWriter {
  /** Resolves once the refusal is stored; it is sealed into the chain later. */
  refused(scope: TenantScope, record: CustodyRecord): Promise<void>;
  /**
   * No answer waits for it: the request has its row, and a record that cannot be sealed now is sealed later. The record
   * of a read waits a moment to share a block; that of a change is evidence of a purchase and sealed at once. Resolves
   * once its outcome is applied, or cannot be: then its operation is recovered as after a crash.
   */
  ended(scope: TenantScope, ended: Ended, isChange: boolean): Promise<void>;
  /** Seals the remaining records. */
  close(): Promise<void>;
}

interface Sealing {
  ended: Ended;
  readonly waits: boolean;
  readonly applied: () => void;
}

interface Refusal {
  readonly record: CustodyRecord;
  readonly stored: (error?: Error) => void;
}

/** The most records of one block. */
const blockSize = 256;
/** The most changes applied in one commit: their locks are held until all of them are done. */
const changesAtOnce = 16;
/** How long a record waits for others to share its block, in milliseconds. */
const gatherMs = 250;
const retryMs = 1_000;

/**
 * Seals records into the chains of their principals, one block after another per principal. Records that end while
 * others gather, or while a block is written, go into the next block, so that a busy chain has few, fuller blocks and
 * never two writers here. Refusals are stored at once, all waiting ones together, because their callers wait.
 */
export function createCustodyWriter({ log, clock, onUnexpected }: CustodyWriterDeps): CustodyWriter {
  const gathering = new Set<() => void>();
  let isClosing = false;

  const pause = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const go = (): void => {
        cancel();
        gathering.delete(go);
        resolve();
      };
      const cancel = clock.after(ms, go);
      gathering.add(go);
    });

  const sealing = inTurn<Sealing>(async (scope, principalId, queue) => {
    const mayWait = !isClosing && queue.length < blockSize && queue.every(({ waits }) => waits);
    if (mayWait) await pause(gatherMs);
    const applies = queue.some(({ ended }) => ended.apply !== undefined);
    const batch = queue.slice(0, applies ? changesAtOnce : blockSize);
    try {
      await log.seal(
        scope,
        principalId,
        batch.map(({ ended }) => ended),
      );
      queue.splice(0, batch.length);
      for (const { applied } of batch) applied();
    } catch (error) {
      onUnexpected(error, 'writing the chain of custody');
      const applying = batch.filter(({ ended }) => ended.apply !== undefined);
      for (const change of applying)
        if (await isSealedAlone(scope, change)) queue.splice(queue.indexOf(change), 1);
      for (const { applied } of batch) applied();
      if (applying.length > 0) return;
      // While closing, an unreachable database is not waited for: the rest is sealed after the next start.
      if (isClosing) queue.length = 0;
      else await pause(retryMs);
    }
  });

  /** A record whose outcome cannot be applied does not delay the others, and is sealed itself without the outcome. */
  const isSealedAlone = async (scope: TenantScope, item: Sealing): Promise<boolean> => {
    const { apply: _apply, ...bare } = item.ended;
    try {
      await log.seal(scope, bare.record.principalId, [item.ended]);
      return true;
    } catch (error) {
      onUnexpected(error, `relayed request ${bare.record.id}`);
      item.ended = bare;
      return false;
    }
  };

  const storing = inTurn<Refusal>(async (scope, principalId, queue) => {
    const batch = queue.splice(0, blockSize);
    const records = batch.map(({ record }) => record);
    try {
      await log.refuse(scope, records);
    } catch (error) {
      onUnexpected(error, 'writing the chain of custody');
      const failure = error instanceof Error ? error : new Error('The record was not stored.');
      for (const { stored } of batch) stored(failure);
      return;
    }
    for (const { stored } of batch) stored();
    for (const record of records)
      sealing.add(scope, principalId, {
        ended: { record, at: clock.now(), releases: true },
        waits: true,
        applied: () => undefined,
      });
  });

  /** Ends every pause. */
  const hurry = (): void => {
    for (const go of [...gathering]) go();
  };

  return {
    refused: (scope, record) =>
      new Promise((resolve, reject) => {
        const stored = (error?: Error): void => (error === undefined ? resolve() : reject(error));
        storing.add(scope, record.principalId, { record, stored });
      }),
    ended: (scope, ended, isChange) =>
      new Promise((applied) => {
        sealing.add(scope, ended.record.principalId, { ended, waits: !isChange, applied });
        if (isChange) hurry();
      }),
    close: async () => {
      isClosing = true;
      hurry();
      await storing.idle();
      await sealing.idle();
    },
  };
}

/** One queue per principal, with one worker while it has items. */
function inTurn<Item>(work: (scope: TenantScope, principalId: string, queue: Item[]) => Promise<void>): {
  readonly add: (scope: TenantScope, principalId: string, item: Item) => void;
  readonly idle: () => Promise<void>;
} {
  const queues = new Map<string, { readonly items: Item[]; readonly done: Promise<void> }>();
  return {
    add: (scope, principalId, item) => {
      const key = `${scope.organizationId}/${principalId}`;
      const known = queues.get(key);
      if (known !== undefined) return void known.items.push(item);
      const items = [item];
      const drain = async (): Promise<void> => {
        while (items.length > 0) await work(scope, principalId, items);
        queues.delete(key);
      };
      // In the next turn of the event loop, so that the items of this one go together.
      queues.set(key, { items, done: Promise.resolve().then(drain) });
    },
    idle: async () => {
      await Promise.all([...queues.values()].map(({ done }) => done));
    },
  };
}
