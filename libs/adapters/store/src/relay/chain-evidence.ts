import type { OpenStream } from '@switchyard/journal';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { messagesOf, type StoredMessage } from '../events/walk-messages.js';
import { readSnapshot } from '../ledger/read-snapshot.js';
import { readCustody } from './custody-chain.js';

/** A principal's chain of custody together with what sellers sent about its operations. */
export interface ChainEvidence {
  /** Passes both to `read`, page by page, from one snapshot of the database. */
  read<T>(
    scope: TenantScope,
    principalId: string,
    read: (stream: OpenStream, messages: AsyncIterable<StoredMessage>) => Promise<T>,
  ): Promise<T>;
}

export const chainEvidence = (store: Store): ChainEvidence => ({
  read: (scope, principalId, read) =>
    readSnapshot(store, scope, async (client) =>
      read(await readCustody(client, principalId), messagesOf(client, { principalId })),
    ),
});
