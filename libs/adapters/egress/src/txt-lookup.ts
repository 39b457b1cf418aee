import { Resolver } from 'node:dns/promises';
import type { EgressFailureCode, TxtLookup } from '@switchyard/sellers';
import { err, ok } from '@switchyard/values';
import { failureOf } from './failure.js';

interface TxtLookupOptions {
  /** Name servers as `ADDRESS:PORT`. Default: the system's. */
  readonly servers?: readonly string[];
  readonly timeoutMs?: number;
}

/** Limits for one name: records, and characters of each record. */
const mostRecords = 100;
const longest = 1024;

/** Makes a lookup of TXT records. It connects to the configured resolver only, whatever the name. */
export function createTxtLookup({ servers, timeoutMs = 2_000 }: TxtLookupOptions = {}): TxtLookup {
  return async (name) => {
    const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
    if (servers !== undefined) resolver.setServers([...servers]);
    try {
      const records = await resolver.resolveTxt(name);
      return ok(records.slice(0, mostRecords).map((chunks) => chunks.join('').slice(0, longest)));
    } catch (error) {
      const code = String((error as { readonly code?: unknown }).code);
      if (code === 'ENOTFOUND' || code === 'ENODATA') return ok([]);
      return err(failureOf(failures[code] ?? 'unresolved', 'no'));
    }
  };
}

const failures: Readonly<Record<string, EgressFailureCode>> = {
  ETIMEOUT: 'timeout',
  ECONNREFUSED: 'connect_failed',
  EBADNAME: 'blocked_url',
  EBADRESP: 'broken_response',
};
