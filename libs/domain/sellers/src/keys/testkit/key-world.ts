import { Buffer } from 'node:buffer';
import { err, ok, type Clock, type JsonValue } from '@switchyard/values';
import type { Egress, EgressFailureCode } from '../../egress-port.js';
import type { KeyedConnection, KeyWatch } from '../key-watch.js';
import type { QueryCapabilities } from '../key-capabilities.js';
import { createSellerKeys } from '../seller-keys.js';
import { memoryTrustDocuments, type TrustDocuments } from '../trust-documents.js';

/** The answer at a URL in these specs. */
export type Served =
  | { readonly json: JsonValue; readonly headers?: Readonly<Record<string, string>> }
  | { readonly text: string }
  | { readonly status: number; readonly location?: string }
  | { readonly failure: EgressFailureCode };

export const agentUrl = 'https://agents.seller.com/mcp';
export const brandUrl = 'https://agents.seller.com/.well-known/brand.json';
export const jwksUrl = 'https://keys.seller.com/jwks.json';

/** Documents and a manual clock. Other URLs answer 404. */
export function keyWorld(
  documents: Record<string, Served>,
  stored: TrustDocuments = memoryTrustDocuments(),
  queryCapabilities?: QueryCapabilities,
) {
  const time = { now: Date.UTC(2026, 10, 21) };
  const requested: string[] = [];
  const notices: string[] = [];
  const clock: Clock = { now: () => time.now, after: () => () => undefined };
  const egress = {
    request: async ({ url }: { url: string }) => {
      requested.push(url);
      await Promise.resolve();
      const served = documents[url] ?? { status: 404 };
      if ('failure' in served) return err({ code: served.failure, message: '', delivered: 'no' as const });
      const headers = 'headers' in served ? served.headers : {};
      if ('status' in served) {
        const location = served.location === undefined ? {} : { location: served.location };
        return ok({ status: served.status, headers: location, body: Buffer.alloc(0) });
      }
      const body = Buffer.from('text' in served ? served.text : JSON.stringify(served.json));
      return ok({ status: 200, headers, body });
    },
  } as unknown as Egress;
  const watch: KeyWatch = {
    found: (_connection, jwksUri) => notices.push(`found ${jwksUri}`),
    changed: (_connection, known, named) => notices.push(`changed ${known} to ${named}`),
    testKey: (_connection, keyid) => notices.push(`test key ${keyid}`),
    revocationsUntrusted: (_connection, url) => notices.push(`untrusted ${url}`),
  };
  const make = (trustsTestKeys = false) =>
    createSellerKeys({
      egress,
      clock,
      documents: stored,
      watch,
      trustsTestKeys,
      ...(queryCapabilities === undefined ? {} : { queryCapabilities }),
    });
  let keys = make();
  return {
    requested,
    notices,
    documents,
    time,
    egress,
    clock,
    pass: (milliseconds: number) => (time.now += milliseconds),
    /** Simulates a restart: stored documents remain, caches are empty. */
    restart: (trustsTestKeys = false) => (keys = make(trustsTestKeys)),
    find: async (kid = 'k1', of: KeyedConnection = { agentUrl }) => {
      const found = await keys.resolve(of, kid);
      return found.ok ? `${found.value.jwk['kid'] as string} of ${found.value.agentUrl}` : found.error;
    },
    key: async (kid: string, of: KeyedConnection) => {
      const found = await keys.resolve(of, kid);
      return found.ok ? found.value.jwk : undefined;
    },
    explain: async (kid: string, of: KeyedConnection = { agentUrl }) => {
      const found = await keys.resolve(of, kid);
      return found.ok ? undefined : keys.of(of).explain?.(kid, found.error);
    },
    status: (kid = 'k1', of: KeyedConnection = { agentUrl }) =>
      keys.revocationsOf(of).status(kid, of.agentUrl),
  };
}

export const entry = { type: 'sales', url: agentUrl, id: 'sales', jwks_uri: jwksUrl };
export const found = `k1 of ${agentUrl}`;

export function keySet(...kids: string[]): Served {
  return { json: { keys: kids.map((kid) => ({ kid, kty: 'OKP', crv: 'Ed25519', x: `x-${kid}` })) } };
}

/** A connection with the capabilities that its seller declares. */
export function connectionWith(capabilities: object, more: Partial<KeyedConnection> = {}): KeyedConnection {
  return { agentUrl, capabilities: capabilities as NonNullable<KeyedConnection['capabilities']>, ...more };
}
