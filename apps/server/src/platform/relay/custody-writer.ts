import type { CustodyRecord, Ended, RelayLog } from '@switchyard/relay';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock } from '@switchyard/values';

export interface CustodyWriterParts {
  readonly log: Pick<RelayLog, 'refuse' | 'seal'>;
  readonly clock: Clock;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

export interface CustodyWriter {
  /** Resolves once the refusal is on disk; its place in the chain follows. */
  refused(scope: TenantScope, record: CustodyRecord): Promise<void>;
  /** Never waited for: the request stands in its row, and a record that cannot be sealed now is sealed later. */
  ended(scope: TenantScope, ended: Ended): void;
  /** Seals what is left. */
  close(): Promise<void>;
}

interface Waiting {
  readonly ended: Ended;
  readonly stored?: (error?: Error) => void;
}

/** Records sealed into one block at most. */
const blockSize = 256;
const retryMs = 1_000;

/**
 * Seals records into the chains of their principals, one block after another per principal: what ends while a block
 * is being written goes into the next one, so that a busy chain has few, fuller blocks and never two writers here.
 */
export function createCustodyWriter({ log, clock, onUnexpected }: CustodyWriterParts): CustodyWriter {
  const queues = new Map<string, Waiting[]>();
  const running = new Map<string, Promise<void>>();

  const write = async (scope: TenantScope, principalId: string, batch: readonly Waiting[]): Promise<void> => {
    const refused = batch.filter(({ stored }) => stored !== undefined);
    if (refused.length > 0) {
      await log.refuse(
        scope,
        refused.map(({ ended }) => ended.record),
      );
      for (const { stored } of refused) stored?.();
    }
    await log.seal(
      scope,
      principalId,
      batch.map(({ ended }) => ended),
    );
  };

  const drain = async (scope: TenantScope, principalId: string, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const batch = queue.slice(0, blockSize);
      try {
        await write(scope, principalId, batch);
        queue.splice(0, batch.length);
      } catch (error) {
        onUnexpected(error, 'the chain of custody');
        const failure = error instanceof Error ? error : new Error('The record was not stored.');
        for (const { stored } of batch) stored?.(failure);
        await new Promise<void>((resolve) => clock.after(retryMs, resolve));
      }
    }
  };

  const add = (scope: TenantScope, waiting: Waiting): void => {
    const { principalId } = waiting.ended.record;
    const key = `${scope.organizationId}/${principalId}`;
    const queue = queues.get(key) ?? [];
    queues.set(key, queue);
    queue.push(waiting);
    if (running.has(key)) return;
    const done = drain(scope, principalId, queue).finally(() => {
      running.delete(key);
      queues.delete(key);
    });
    running.set(key, done);
  };

  return {
    refused: (scope, record) =>
      new Promise((resolve, reject) => {
        const stored = (error?: Error): void => (error === undefined ? resolve() : reject(error));
        add(scope, { ended: { record, at: clock.now(), releases: true }, stored });
      }),
    ended: (scope, ended) => add(scope, { ended }),
    close: async () => {
      await Promise.all(running.values());
    },
  };
}
