import type { Egress } from '@switchyard/sellers';
import type { PlatformKey, RotationTimes } from '@switchyard/signing';
import {
  firstBeyond,
  type PrincipalDirectory,
  type RequestSigner,
  type SignerDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isJsonObject, isoOf, isUuid, ok, type Clock } from '@switchyard/values';
import type { AdminFailure } from '../../tasks/ports/admin.js';
import type { IdentityAdmin, KeyView, SignerView } from '../../tasks/ports/identity.js';
import type { PlatformKeys } from './platform-keys.js';
import { signerOf } from './signer-of.js';

export interface IdentityDeps {
  readonly ownKeys: PlatformKeys;
  readonly times: RotationTimes;
  readonly principals: PrincipalDirectory;
  readonly signers: SignerDirectory;
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** For the local profile alone. */
  readonly trustsTestKeys?: boolean;
}

/** Behind `/v1/keys` and `/v1/signers`, and the key set that everybody may read. */
export function createIdentityAdmin(deps: IdentityDeps): IdentityAdmin {
  const { ownKeys, principals, signers } = deps;
  const scopeOf = ({ organizationId }: { readonly organizationId: string }): TenantScope => ({
    organizationId,
  });
  const namesIn = async (scope: TenantScope): Promise<ReadonlyMap<string, string>> =>
    new Map((await principals.list(scope)).map(({ id, name }) => [id, name]));
  return {
    publishedKeys: () => ownKeys.published(),
    listKeys: async (caller) => {
      const [keys, names] = await Promise.all([ownKeys.list(scopeOf(caller)), namesIn(scopeOf(caller))]);
      return keys.map((key) => keyView(key, names.get(key.principalId) ?? '', deps.times));
    },
    rotateKey: async (caller, { principal, kmsKeyId }) => {
      const name = principal ?? caller.name;
      const found = await principals.findByName(scopeOf(caller), name);
      if (found === undefined) return err(noPrincipal(name));
      const rotated = await ownKeys.rotate(scopeOf(caller), found.id, kmsKeyId);
      return rotated.ok ? ok(keyView(rotated.value, name, deps.times)) : rotated;
    },
    listSigners: async (caller) => {
      const [all, names] = await Promise.all([signers.list(scopeOf(caller)), namesIn(scopeOf(caller))]);
      return all.map((signer) => signerView(signer, names.get(signer.principalId) ?? ''));
    },
    addSigner: async (caller, name, draft) => {
      const found = await principals.findByName(scopeOf(caller), name);
      if (found === undefined) return err(noPrincipal(name));
      const beyond = firstBeyond(caller.permissions, found.permissions);
      if (beyond !== undefined) {
        const message = `Whoever signs as ${name} may do ${beyond}, which you do not hold.`;
        return err({ code: 'INVALID_REQUEST', message, field: 'principal' });
      }
      const made = await signerOf(deps, found.id, draft);
      if (!made.ok) return made;
      const signer = made.value;
      await signers.add(scopeOf(caller), signer);
      return ok(signerView(signer, name));
    },
    removeSigner: async (caller, id) =>
      isUuid(id) && (await signers.remove(scopeOf(caller), id, deps.clock.now()))
        ? ok({ signer_id: id, removed: true })
        : err({ code: 'NOT_FOUND', message: 'No signer of yours has this id.', field: 'id' }),
  };
}

function noPrincipal(name: string): AdminFailure {
  return { code: 'NOT_FOUND', message: `There is no principal called ${name}.`, field: 'principal' };
}

function signerView(
  { id, agentUrl, keys, dialect, allowsRsaPss, createdAt }: RequestSigner,
  principal: string,
): SignerView {
  return {
    signer_id: id,
    principal,
    agent_url: agentUrl,
    ...keysView(keys),
    dialect,
    allows_rsa_pss: allowsRsaPss,
    created_at: isoOf(createdAt),
  };
}

function keysView(keys: RequestSigner['keys']): Pick<SignerView, 'jwks_uri' | 'kids' | 'discovered_over'> {
  if (keys.kind === 'address') return { jwks_uri: keys.jwksUri };
  if (keys.kind === 'discovered') {
    const { protocol, foundJwksUri } = keys;
    return { discovered_over: protocol, ...(foundJwksUri === undefined ? {} : { jwks_uri: foundJwksUri }) };
  }
  const list = keys.jwks['keys'];
  const kids = Array.isArray(list)
    ? list.flatMap((key) => (isJsonObject(key) && typeof key['kid'] === 'string' ? [key['kid']] : []))
    : [];
  return { kids };
}

function keyView(key: PlatformKey, principal: string, times: RotationTimes): KeyView {
  const { kid, state, alg, custody, createdAt, liveAt, retiringAt, retiredAt } = key;
  return {
    kid,
    principal,
    state,
    alg,
    created_at: isoOf(createdAt),
    ...(custody.kind === 'kms' ? { kms_key_id: custody.keyId } : {}),
    ...(liveAt === undefined ? {} : { live_at: isoOf(liveAt) }),
    ...(retiringAt === undefined ? {} : { retiring_at: isoOf(retiringAt) }),
    ...(retiredAt === undefined ? {} : { retired_at: isoOf(retiredAt) }),
    ...(state === 'published' ? { live_from: isoOf(createdAt + times.wait) } : {}),
  };
}
