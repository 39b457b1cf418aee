import type { Buffer } from 'node:buffer';
import type { Checkpoint } from '@switchyard/journal';
import type { TenantScope } from '@switchyard/tenancy';
import type { WrappedKey } from '@switchyard/vault';
import { isoOf } from '@switchyard/values';
import type { Store } from '../core/open-store.js';
import { rowReader } from '../core/row-mapper.js';
import { hashedStream, headColumns, headOf, headValues, ledgerStream, type HeadRow } from './stream-head.js';

/** A stored checkpoint: with its MAC, and the wrapped key of the MAC. */
export interface SealedCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly keyId: string;
  readonly wrappedKey: Buffer;
  readonly mac: string;
}

/** The newest checkpoint of an organization's ledger. */
export interface CheckpointStore {
  find(scope: TenantScope): Promise<SealedCheckpoint | undefined>;
  /** Replaces the wrapped key of its MAC while it is still `from`; false if another verification was first. */
  replaceWrap(scope: TenantScope, from: WrappedKey, to: WrappedKey): Promise<boolean>;
  /** Stores it in place of the one that was read; of two concurrent verifications, the first one's stays. */
  save(scope: TenantScope, sealed: SealedCheckpoint, replaced: SealedCheckpoint | undefined): Promise<void>;
}

export function checkpointStore(store: Store): CheckpointStore {
  return {
    find: async (scope) => {
      const { rows } = await store.onceInTenant<HeadRow>(scope, {
        name: 'journal_checkpoint',
        text: 'select * from journal_checkpoint where organization_id = scope.organization_id and stream = $1',
        values: [ledgerStream],
      });
      const [row] = rows;
      return row === undefined ? undefined : sealedOf(scope, row);
    },
    replaceWrap: (scope, from, to) =>
      store.inTenantModels(scope, async ({ journal_checkpoint }) => {
        const own = { organization_id: scope.organizationId, stream: ledgerStream };
        const { count } = await journal_checkpoint.updateMany({
          where: { ...own, key_id: from.keyId, wrapped_key: Uint8Array.from(from.wrapped) },
          data: { key_id: to.keyId, wrapped_key: Uint8Array.from(to.wrapped) },
        });
        return count === 1;
      }),
    save: (scope, { checkpoint, keyId, wrappedKey, mac }, replaced) =>
      store.inTenant(scope, async (client) => {
        const { head, sums, verifiedAt, fullyVerifiedAt } = checkpoint;
        await client.query(
          `insert into journal_checkpoint as stored (organization_id, stream, ${headColumns},
             sums, verified_at, fully_verified_at, key_id, wrapped_key, mac)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
           on conflict (organization_id, stream) do update
             set number = excluded.number, hash = excluded.hash, entry_total = excluded.entry_total,
                 sealed_at = excluded.sealed_at, sums = excluded.sums, verified_at = excluded.verified_at,
                 fully_verified_at = excluded.fully_verified_at, key_id = excluded.key_id, wrapped_key = excluded.wrapped_key,
                 mac = excluded.mac
             where stored.mac = $13`,
          [
            client.organizationId,
            ledgerStream,
            ...headValues(head),
            JSON.stringify(sums),
            isoOf(verifiedAt),
            isoOf(fullyVerifiedAt),
            keyId,
            wrappedKey,
            mac,
            replaced?.mac ?? '',
          ],
        );
      }),
  };
}

const readSealed = rowReader<Omit<SealedCheckpoint, 'checkpoint'>>()('key_id, wrapped_key, mac');
const readCheckpoint = rowReader<Omit<Checkpoint, 'head'>>()('sums, verified_at, fully_verified_at');

function sealedOf({ organizationId }: TenantScope, row: HeadRow): SealedCheckpoint {
  const head = headOf(hashedStream(organizationId), row);
  return { ...readSealed(row), checkpoint: { ...readCheckpoint(row), head } };
}
