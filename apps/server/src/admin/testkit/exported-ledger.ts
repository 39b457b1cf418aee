import { json } from 'node:stream/consumers';
import { ledgerExport, type LedgerStore } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';

/** The ledger's export, read as JSON. */
export function exportedLedger(ledger: Pick<LedgerStore, 'stream'>, scope: TenantScope): Promise<JsonObject> {
  return ledger.stream(scope, (stream) => json(ledgerExport(stream)) as Promise<JsonObject>);
}
