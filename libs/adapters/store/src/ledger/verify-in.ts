import {
  verifyLedger,
  withArchive,
  type LedgerPage,
  type LedgerVerification,
  type LedgerVerifyOptions,
} from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import { archivedPart, readArchives, type StoredArchive } from './read-archive.js';
import type { Store } from '../core/open-store.js';
import { readSnapshot } from './read-snapshot.js';
import { ledgerSource } from './ledger-source.js';

/** Verifies in one snapshot. It takes only the pool of a store, so that another thread can have its own. */
export function verifyIn(
  store: Pick<Store, 'pool'>,
  scope: TenantScope,
  options?: LedgerVerifyOptions,
): Promise<LedgerVerification> {
  return readSnapshot(store, scope, async (client) => verifyLedger(await ledgerSource(client), options));
}

/**
 * Verifies the whole ledger, with the pages of all its archives from their files. Undefined if nothing of it is archived.
 */
export function verifyWithFiles(
  store: Pick<Store, 'pool'>,
  scope: TenantScope,
  pages: (archives: readonly StoredArchive[]) => AsyncIterable<LedgerPage>,
): Promise<LedgerVerification | undefined> {
  return readSnapshot(store, scope, async (client) => {
    const archives = await readArchives(client);
    const end = archives.at(-1);
    if (end === undefined) return undefined;
    const archived = await archivedPart(client, end, () => pages(archives));
    return verifyLedger(withArchive(await ledgerSource(client), archived));
  });
}
