import { Buffer } from 'node:buffer';
import type { FactorRepository, PasskeyRecord } from '@switchyard/tenancy';
import { run } from '../core/tenant-transaction.js';
import { unlessDuplicate } from '../core/is-duplicate.js';
import type { Store } from '../core/open-store.js';
import type { Models } from '../core/tenant-models.js';
import { present } from '../core/present.js';
import { rowReader, type RowOf } from '../core/row-mapper.js';
import type { person_passkeyModel } from '../generated/models.js';

type HolderRow = Pick<
  RowOf<person_passkeyModel>,
  'organization_id' | 'principal_id' | 'id' | 'counter' | 'transports'
> & { readonly public_key: Buffer };

/** Second factors of people, in PostgreSQL. */
export function factorRepository(store: Store): FactorRepository {
  const put = (scope: { organizationId: string }, principalId: string, data: object): Promise<void> =>
    store.inTenantModels(scope, async (models) => {
      if ('totp_pending_id' in data) await deletePending(models, principalId);
      await models.person_factor.upsert({
        where: { principal_id: principalId },
        create: { principal_id: principalId, organization_id: scope.organizationId, ...data },
        update: data,
      });
    });
  const noTotp = { totp_credential_id: null, totp_since: null, totp_last_step: null, totp_pending_id: null };
  return {
    of: (scope, principalId) =>
      store.inTenantModels(scope, async ({ person_factor, person_passkey }) => {
        const row = await person_factor.findFirst({ where: { principal_id: principalId } });
        const passkeys = await person_passkey.findMany({
          where: { principal_id: principalId },
          orderBy: [{ created_at: 'asc' }, { id: 'asc' }],
        });
        const { totp_credential_id: credentialId, totp_since: since } = row ?? {};
        return {
          ...(credentialId != null &&
            since != null && {
              totp: { credentialId, since: since.getTime(), lastStep: Number(row?.totp_last_step ?? 0) },
            }),
          ...present({ pendingId: row?.totp_pending_id ?? undefined }),
          recoveryCodes: row?.recovery_hashes.length ?? 0,
          passkeys: passkeys.map(passkeyOf),
        };
      }),
    beginTotp: (scope, principalId, credentialId) =>
      put(scope, principalId, { totp_pending_id: credentialId }),
    confirmTotp: (scope, principalId, { credentialId, step, at }) =>
      store.inTenantModels(scope, async ({ person_factor }) => {
        const { count } = await person_factor.updateMany({
          where: { principal_id: principalId, totp_pending_id: credentialId },
          data: {
            totp_credential_id: credentialId,
            totp_since: new Date(at),
            totp_last_step: BigInt(step),
            totp_pending_id: null,
          },
        });
        return count === 1;
      }),
    claimStep: (scope, principalId, step) =>
      store.inTenantModels(scope, async ({ person_factor }) => {
        const { count } = await person_factor.updateMany({
          where: { principal_id: principalId, totp_last_step: { lt: BigInt(step) } },
          data: { totp_last_step: BigInt(step) },
        });
        return count === 1;
      }),
    removeTotp: (scope, principalId) => put(scope, principalId, noTotp),
    setRecoveryCodes: (scope, principalId, hashes) =>
      put(scope, principalId, { recovery_hashes: [...hashes] }),
    useRecoveryCode: (scope, principalId, hash) =>
      store.inTenant(scope, async (client) => {
        const { rowCount } = await client.query(
          `update person_factor set recovery_hashes = array_remove(recovery_hashes, $2)
           where principal_id = $1 and $2 = any (recovery_hashes)`,
          [principalId, hash],
        );
        return rowCount === 1;
      }),
    addPasskey: async (scope, passkey) => {
      const { id, principalId, credentialId, publicKey, counter, transports, name, createdAt } = passkey;
      return unlessDuplicate(() =>
        store.inTenantModels(scope, ({ person_passkey }) =>
          person_passkey.create({
            data: {
              id,
              organization_id: scope.organizationId,
              principal_id: principalId,
              credential_id: credentialId,
              public_key: Buffer.from(publicKey),
              counter: BigInt(counter),
              transports: [...transports],
              name,
              created_at: new Date(createdAt),
            },
          }),
        ),
      );
    },
    passkey: async (credentialId) => {
      const { rows } = await run<HolderRow>(store.pool, {
        name: 'passkey_holder',
        text: 'select * from passkey_holder($1)',
        values: [credentialId],
      });
      return rows.map((row) => ({
        organizationId: row.organization_id,
        principalId: row.principal_id,
        id: row.id,
        publicKey: row.public_key,
        counter: Number(row.counter),
        transports: row.transports,
      }))[0];
    },
    usedPasskey: (scope, id, counter, at) =>
      store.inTenantModels(scope, async ({ person_passkey }) => {
        const data = { counter: BigInt(counter), last_used_at: new Date(at) };
        await person_passkey.updateMany({ where: { id }, data });
      }),
    removePasskey: (scope, principalId, id) =>
      store.inTenantModels(scope, async ({ person_passkey }) => {
        const { count } = await person_passkey.deleteMany({ where: { id, principal_id: principalId } });
        return count > 0;
      }),
    reset: (scope, principalId) =>
      store.inTenantModels(scope, async ({ person_factor, person_passkey, credential }) => {
        await deletePending({ person_factor, credential }, principalId);
        await person_factor.deleteMany({ where: { principal_id: principalId } });
        await person_passkey.deleteMany({ where: { principal_id: principalId } });
      }),
  };
}

/** Deletes the secret of a setup that no code has confirmed: it protected nothing, so nothing of it is kept. */
async function deletePending(
  { person_factor, credential }: Pick<Models, 'person_factor' | 'credential'>,
  principalId: string,
): Promise<void> {
  const row = await person_factor.findFirst({ where: { principal_id: principalId } });
  if (row?.totp_pending_id != null)
    await credential.deleteMany({ where: { credential_id: row.totp_pending_id, kind: 'factor' } });
}

const passkeyOf = rowReader<PasskeyRecord>()('id, credential_id, transports, name, created_at, last_used_at');
