import { keyThumbprint, publicPart } from '@switchyard/signing';
import type { TenantScope } from '@switchyard/tenancy';
import type { Clock, Instant, JsonObject } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';

/** A public key that a message verified with, as its sender published it. */
export interface SenderKey {
  /** The `agent_url` that the key was found for. */
  readonly sender: string;
  readonly keyid: string;
  readonly publicJwk: JsonObject;
  readonly firstAt: Instant;
}

/** Keys of counterparties as evidence: one row for each key and sender, and none for each message. */
export interface SenderKeys {
  /** Stores a key unless it is there. The database is asked once for each key, as long as this process remembers it. */
  note(scope: TenantScope, key: Omit<SenderKey, 'firstAt'>): Promise<void>;
  /** All of an organization, or those of the sellers that a principal's relayed requests went to; oldest first. */
  list(scope: TenantScope, principalId?: string): Promise<readonly SenderKey[]>;
}

/** Keys that a process remembers to have stored; beyond that it forgets all of them. */
const rememberedAtMost = 10_000;

export function senderKeys(store: Store, clock: Clock): SenderKeys {
  const stored = new Set<string>();
  const thumbprintOf = rememberedThumbprints();
  return {
    note: async (scope, { sender, keyid, publicJwk }) => {
      const thumbprint = thumbprintOf(publicJwk);
      const row = [scope.organizationId, sender, keyid, thumbprint];
      const mark = JSON.stringify(row);
      if (stored.has(mark)) return;
      await store.inTenant(scope, async (client) => {
        await client.query(
          `insert into sender_key (organization_id, sender, keyid, thumbprint, public_jwk, first_at)
           values ($1, $2, $3, $4, $5, $6) on conflict do nothing`,
          [...row, JSON.stringify(publicPart(publicJwk)), new Date(clock.now())],
        );
      });
      if (stored.size >= rememberedAtMost) stored.clear();
      stored.add(mark);
    },
    list: (scope, principalId) =>
      store.inTenant(scope, async (client) => {
        const { rows } = await client.query(
          `select sender, keyid, public_jwk, first_at from sender_key
           where organization_id = $1 and ($2::uuid is null or sender in
             (select c.agent_url from connection c where c.slug in
               (select r.seller from relay_request r where r.organization_id = $1 and r.principal_id = $2)))
           order by first_at, sender, keyid`,
          [client.organizationId, principalId ?? null],
        );
        return rows.map(readKey);
      }),
  };
}

/** A key is the same object while it is unchanged, and comes with every message. */
function rememberedThumbprints(): (jwk: JsonObject) => string {
  const known = new WeakMap<JsonObject, string>();
  return (jwk) => {
    const thumbprint = known.get(jwk) ?? keyThumbprint(jwk);
    known.set(jwk, thumbprint);
    return thumbprint;
  };
}

const readKey = rowReader<SenderKey>()('sender, keyid, public_jwk, first_at');
