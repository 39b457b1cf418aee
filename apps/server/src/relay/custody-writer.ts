import type { CustodyRecord, Ended, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';

export interface CustodyWriterDeps {
  readonly log: Pick<RelayLog, 'refuse' | 'seal'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

export interface CustodyWriter {
  /** Resolves once the refusal is on disk; its place in the chain follows. */
  refused(scope: TenantScope, record: CustodyRecord): Promise<void>;
  /**
   * No answer waits for it: the request stands in its row, and a record that cannot be sealed now is sealed later. What a
   * question came to waits a moment for others; what a change came to is evidence of a purchase, and is sealed at once.
   * Resolves once what it ended with is applied, or cannot be: then its operation is looked at as after a crash.
   */
  ended(scope: TenantScope, ended: Ended, isChange: boolean): Promise<void>;
  /** Seals what is left. */
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

/** Records sealed into one block at most. */
const blockSize = 256;
/** Changes applied in one commit at most: what they lock is locked until all of them are through. */
const changesAtOnce = 16;
/** How long a record waits for others to share its block. */
const gatherMs = 250;
const retryMs = 1_000;

/**
 * Seals records into the chains of their principals, one block after another per principal: what ends while others
 * gather, or while a block is being written, goes into the next one, so that a busy chain has few, fuller blocks and
 * never two writers here. Refusals are stored at once, as many together as wait, because their callers wait for that.
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
      onUnexpected(error, 'the chain of custody');
      const applying = batch.filter(({ ended }) => ended.apply !== undefined);
      for (const one of applying) if (await isSealedAlone(scope, one)) queue.splice(queue.indexOf(one), 1);
      for (const { applied } of batch) applied();
      if (applying.length > 0) return;
      // Whoever closes does not wait for a database that is gone: what is left is sealed after the next start.
      if (isClosing) queue.length = 0;
      else await pause(retryMs);
    }
  });

  /** What one of many cannot apply keeps no other back, and not its own record: that is then sealed without it. */
  const isSealedAlone = async (scope: TenantScope, one: Sealing): Promise<boolean> => {
    const { apply: _apply, ...bare } = one.ended;
    try {
      await log.seal(scope, bare.record.principalId, [one.ended]);
      return true;
    } catch (error) {
      onUnexpected(error, `relayed request ${bare.record.id}`);
      one.ended = bare;
      return false;
    }
  };

  const storing = inTurn<Refusal>(async (scope, principalId, queue) => {
    const batch = queue.splice(0, blockSize);
    const records = batch.map(({ record }) => record);
    try {
      await log.refuse(scope, records);
    } catch (error) {
      onUnexpected(error, 'the chain of custody');
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

  /** Ends every pause: a block of few records is nothing to be afraid of. */
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

/** One queue per principal, and one worker at a time on it while there is something in it. */
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
      // In the next turn, so that what comes in this one goes together.
      queues.set(key, { items, done: Promise.resolve().then(drain) });
    },
    idle: async () => {
      await Promise.all([...queues.values()].map(({ done }) => done));
    },
  };
}
