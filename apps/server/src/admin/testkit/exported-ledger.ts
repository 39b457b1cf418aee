import { ledgerExport, type LedgerStore } from '@switchyard/ledger';
import type { TenantScope } from '@switchyard/tenancy';
import type { JsonObject } from '@switchyard/values';

/** The ledger's export, read as JSON. */
export function exportedLedger(ledger: Pick<LedgerStore, 'stream'>, scope: TenantScope): Promise<JsonObject> {
  return ledger.stream(scope, async (stream) => {
    const parts: string[] = [];
    for await (const part of ledgerExport(stream)) parts.push(part);
    return JSON.parse(parts.join('')) as JsonObject;
  });
}
