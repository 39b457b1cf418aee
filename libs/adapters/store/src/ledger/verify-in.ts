import { verifyLedger, type LedgerVerification, type LedgerVerifyOptions } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { Store } from '../core/open-store.js';
import { inSnapshot } from './in-snapshot.js';
import { ledgerSource } from './ledger-source.js';

/** Verifies in one snapshot. It takes only the pool of a store, so that another thread can have its own. */
export function verifyIn(
  store: Pick<Store, 'pool'>,
  scope: TenantScope,
  options?: LedgerVerifyOptions,
): Promise<LedgerVerification> {
  return inSnapshot(store, scope, async (client) => verifyLedger(await ledgerSource(client), options));
}
