import type { Egress } from '@switchyard/sellers';
import type { OwnKey, RotationTimes } from '@switchyard/signing';
import {
  permissionTable,
  readPermissions,
  type Principal,
  type PrincipalDirectory,
  type RequestSigner,
  type SignerDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isJsonObject, isoOf, ok, type Clock, type JsonObject } from '@switchyard/values';
import type { AdminFailure } from '../application/admin.js';
import type { IdentityAdmin, KeyView, PrincipalView, SignerView } from '../application/identity.js';
import type { OwnKeys } from './own-keys.js';

export interface IdentityParts {
  readonly ownKeys: OwnKeys;
  readonly times: RotationTimes;
  readonly principals: PrincipalDirectory;
  readonly signers: SignerDirectory;
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Behind `/v1/keys` and `/v1/principals`, and the key set that everybody may read. */
export function createIdentityAdmin(parts: IdentityParts): IdentityAdmin {
  const { ownKeys, principals, signers } = parts;
  const scopeOf = ({ organizationId }: { readonly organizationId: string }): TenantScope => ({
    organizationId,
  });
  const namesIn = async (scope: TenantScope): Promise<ReadonlyMap<string, string>> =>
    new Map((await principals.list(scope)).map(({ id, name }) => [id, name]));
  return {
    publishedKeys: () => ownKeys.published(),
    listKeys: async (caller) => {
      const [keys, names] = await Promise.all([ownKeys.list(scopeOf(caller)), namesIn(scopeOf(caller))]);
      return keys.map((key) => keyView(key, names.get(key.principalId) ?? '', parts.times));
    },
    rotateKey: async (caller, { principal, kmsKeyId }) => {
      const name = principal ?? caller.name;
      const found = await principals.findByName(scopeOf(caller), name);
      if (found === undefined) return err(noPrincipal(name));
      const rotated = await ownKeys.rotate(scopeOf(caller), found.id, kmsKeyId);
      return rotated.ok ? ok(keyView(rotated.value, name, parts.times)) : rotated;
    },
    listPrincipals: async (caller) => (await principals.list(scopeOf(caller))).map(principalView),
    addPrincipal: async (caller, draft) => {
      const permissions = readPermissions(draft.permissions);
      const beyond = beyondOf(caller.permissions, permissions);
      // Nobody hands on what he does not hold.
      if (beyond !== undefined)
        return err({
          code: 'INVALID_REQUEST',
          message: `You do not hold ${beyond} yourself.`,
          field: 'permissions',
        });
      const principal: Principal = { ...draft, id: parts.newId(), ...scopeOf(caller), permissions };
      const made = await principals.create(scopeOf(caller), principal, parts.clock.now());
      return made
        ? ok(principalView(principal))
        : err({
            code: 'CONFLICT',
            message: `There is a principal called ${draft.name} already.`,
            field: 'name',
          });
    },
    listSigners: async (caller) => {
      const [all, names] = await Promise.all([signers.list(scopeOf(caller)), namesIn(scopeOf(caller))]);
      return all.map((signer) => signerView(signer, names.get(signer.principalId) ?? ''));
    },
    addSigner: async (caller, name, draft) => {
      const found = await principals.findByName(scopeOf(caller), name);
      if (found === undefined) return err(noPrincipal(name));
      const judged = draft.jwksUri === undefined ? undefined : await parts.egress.checkUrl(draft.jwksUri);
      if (judged?.ok === false)
        return err({ code: 'INVALID_REQUEST', message: judged.error.message, field: 'jwks_uri' });
      const keys =
        draft.jwksUri === undefined
          ? ({ kind: 'document', jwks: draft.jwks ?? { keys: [] } } as const)
          : ({ kind: 'address', jwksUri: draft.jwksUri } as const);
      if (keys.kind === 'document' && holdsPrivate(keys.jwks))
        return err({
          code: 'INVALID_REQUEST',
          message:
            'A key set holds public keys alone: these have to be replaced, everybody may know them now.',
          field: 'jwks',
        });
      const signer: RequestSigner = {
        id: parts.newId(),
        principalId: found.id,
        agentUrl: draft.agentUrl,
        keys,
        dialect: draft.dialect,
        createdAt: parts.clock.now(),
      };
      await signers.add(scopeOf(caller), signer);
      return ok(signerView(signer, name));
    },
    removeSigner: async (caller, id) =>
      (await signers.remove(scopeOf(caller), id, parts.clock.now()))
        ? ok({ signer_id: id, removed: true })
        : err({ code: 'NOT_FOUND', message: 'No signer of yours has this id.', field: 'id' }),
  };
}

function noPrincipal(name: string): AdminFailure {
  return { code: 'NOT_FOUND', message: `There is no principal called ${name}.`, field: 'principal' };
}

function beyondOf(
  held: Readonly<Record<string, readonly string[]>>,
  wanted: Principal['permissions'],
): string | undefined {
  for (const area of Object.keys(permissionTable) as (keyof typeof permissionTable)[]) {
    const missing = wanted[area]?.find((kind) => held[area]?.includes(kind) !== true);
    if (missing !== undefined) return `${area}.${missing}`;
  }
  return undefined;
}

function holdsPrivate(jwks: JsonObject): boolean {
  const { keys } = jwks;
  return Array.isArray(keys) && keys.some((key) => isJsonObject(key) && Object.hasOwn(key, 'd'));
}

function principalView({ name, kind, permissions, transitional, legacy }: Principal): PrincipalView {
  return { name, kind, permissions, transitional, legacy };
}

function signerView(
  { id, agentUrl, keys, dialect, createdAt }: RequestSigner,
  principal: string,
): SignerView {
  const list = keys.kind === 'document' ? keys.jwks['keys'] : undefined;
  const kids = Array.isArray(list)
    ? list.flatMap((key) => (isJsonObject(key) && typeof key['kid'] === 'string' ? [key['kid']] : []))
    : [];
  return {
    signer_id: id,
    principal,
    agent_url: agentUrl,
    ...(keys.kind === 'address' ? { jwks_uri: keys.jwksUri } : { kids }),
    dialect,
    created_at: isoOf(createdAt),
  };
}

function keyView(key: OwnKey, principal: string, times: RotationTimes): KeyView {
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
