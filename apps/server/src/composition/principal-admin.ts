import type { Egress } from '@switchyard/sellers';
import {
  firstBeyond,
  hashPair,
  newToken,
  usualPermissions,
  type IdentityDirectory,
  type Permissions,
  type Principal,
  type PrincipalDirectory,
  type TokenRecord,
  type VouchedIdentity,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type Instant, type Result } from '@switchyard/values';
import type { AdminFailure } from '../tasks/ports/admin.js';
import type { IssuedTokens } from '../tasks/caller/issued-tokens.js';
import type { IdentityDraft, NewCredential, PrincipalAdmin } from '../tasks/ports/principals.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { principalView } from './principal-views.js';
import { signerOf } from './keys/signer-of.js';

export interface PrincipalAdminDeps {
  readonly principals: PrincipalDirectory;
  readonly identities: IdentityDirectory;
  /** Verifies what is handed in as proof of a name; absent: no proof holds. */
  readonly issuedTokens?: Pick<IssuedTokens, 'verify'>;
  readonly egress: Pick<Egress, 'checkUrl'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly randomBytes: (length: number) => Uint8Array;
  /** For the local profile alone. */
  readonly trustsTestKeys?: boolean;
}

/** Whoever holds the data folder acts as this principal, so it cannot be switched off. */
export const operatorName = 'operator';

/** How long a token lives unless told: 90 days, in seconds. */
const usualTtlSeconds = 90 * 24 * 3600;

/** Behind `/v1/principals`. */
export function createPrincipalAdmin(deps: PrincipalAdminDeps): PrincipalAdmin {
  const { principals, identities, clock } = deps;
  return {
    list: async (caller) => {
      const [records, tokens, names] = await Promise.all([
        principals.records(caller),
        principals.tokens(caller),
        identities.list(caller),
      ]);
      return records.map((record) => principalView(record, tokens, names));
    },
    add: (caller, draft) => add(deps, caller, draft),
    addToken: async (caller, name, draft) => {
      const found = await liveOne(deps, caller, name);
      if (!found.ok) return found;
      const wanted = draft.permissions ?? found.value.permissions;
      const beyond = firstBeyond(found.value.permissions, wanted) ?? firstBeyond(caller.permissions, wanted);
      if (beyond !== undefined) return err(beyondFailure(beyond, 'permissions'));
      const made = newCredential(deps, found.value, draft, `made by ${caller.name}`);
      await principals.mintToken(caller, made.record);
      return ok(made.shown);
    },
    rotate: async (caller, name, query) => {
      const found = await liveOne(deps, caller, name);
      if (!found.ok) return found;
      const replaced = await tokenToReplace(deps, caller, found.value, query.tokenId);
      if (!replaced.ok) return replaced;
      const beyond = firstBeyond(caller.permissions, replaced.value.permissions ?? found.value.permissions);
      if (beyond !== undefined) return err(beyondFailure(beyond, 'name'));
      const { scheme, label, permissions } = replaced.value;
      const made = newCredential(
        deps,
        found.value,
        {
          scheme,
          ...(permissions === undefined ? {} : { permissions }),
          ...(query.ttlSeconds === undefined ? {} : { ttlSeconds: query.ttlSeconds }),
        },
        label,
      );
      const until = Math.min(replaced.value.expiresAt, clock.now() + query.overlapSeconds * 1000);
      if (!(await principals.replaceToken(caller, made.record, replaced.value.id, until)))
        return err(noSuchToken);
      return ok({ ...made.shown, previous_until: isoOf(until) });
    },
    revoke: async (caller, name) => {
      const found = await principals.findByName(caller, name);
      if (found === undefined) return err(noPrincipal());
      if (found.name === operatorName || found.id === caller.principalId) {
        const message =
          'Neither you nor the operator of the data folder can be switched off: revoke a token.';
        return err({ code: 'CONFLICT', message, field: 'name' });
      }
      const revoked = await principals.disable(caller, found.id, clock.now());
      return revoked ? ok({ principal_id: found.id, revoked: true }) : err(noPrincipal());
    },
    revokeToken: async (caller, id) =>
      isUuid(id) && (await principals.revokeToken(caller, id, clock.now()))
        ? ok({ token_id: id, revoked: true })
        : err({ code: 'NOT_FOUND', message: 'No token of yours has this id.', field: 'id' }),
    addIdentity: async (caller, name, draft) => {
      const found = await liveOne(deps, caller, name);
      if (!found.ok) return found;
      const beyond = firstBeyond(caller.permissions, found.value.permissions);
      if (beyond !== undefined) return err(beyondFailure(beyond, 'name'));
      const made = await identityOf(deps, found.value.id, draft, '');
      if (!made.ok) return made;
      const identity = made.value;
      if (!(await identities.add(caller, identity))) {
        return err(nameTaken('subject'));
      }
      const { issuer, kind, subject } = draft;
      return ok({ identity_id: identity.id, kind, subject, ...(issuer === '' ? {} : { issuer }) });
    },
    removeIdentity: async (caller, id) =>
      isUuid(id) && (await identities.remove(caller, id, clock.now()))
        ? ok({ identity_id: id, removed: true })
        : err({ code: 'NOT_FOUND', message: 'No identity of yours has this id.', field: 'id' }),
  };
}

async function add(
  deps: PrincipalAdminDeps,
  caller: PrincipalCaller,
  draft: Parameters<PrincipalAdmin['add']>[1],
): ReturnType<PrincipalAdmin['add']> {
  const { name, kind, transitional, legacy, brandDomain } = draft;
  const permissions = draft.permissions ?? usualPermissions[kind];
  const beyond = firstBeyond(caller.permissions, permissions);
  if (beyond !== undefined) return err(beyondFailure(beyond, 'permissions'));
  const at = deps.clock.now();
  const principal: Principal = {
    id: deps.newId(),
    organizationId: caller.organizationId,
    name,
    kind,
    permissions,
    transitional,
    legacy,
    ...(brandDomain === undefined ? {} : { brandDomain }),
  };
  const signer = draft.signer === undefined ? undefined : await signerOf(deps, principal.id, draft.signer);
  if (signer?.ok === false) return signer;
  const { scheme, ttlSeconds } = draft;
  const made =
    scheme === 'none'
      ? undefined
      : newCredential(
          deps,
          principal,
          { scheme, ...(ttlSeconds === undefined ? {} : { ttlSeconds }) },
          `made by ${caller.name}`,
        );
  const named =
    draft.identity === undefined
      ? undefined
      : await identityOf(deps, principal.id, draft.identity, 'identity.');
  if (named?.ok === false) return named;
  const identity = named?.value;
  const enrolled = await deps.principals.enrol(
    caller,
    {
      principal,
      ...(made === undefined ? {} : { token: made.record }),
      ...(signer === undefined ? {} : { signer: signer.value }),
      ...(identity === undefined ? {} : { identity }),
    },
    at,
  );
  if (!enrolled) {
    // One of the two is taken, and nothing was stored.
    if (identity !== undefined && (await deps.principals.findByName(caller, name)) === undefined)
      return err(nameTaken('identity.subject'));
    return err({ code: 'CONFLICT', message: `There is a principal called ${name} already.`, field: 'name' });
  }
  const tokens = made === undefined ? [] : [made.record];
  const identities = identity === undefined ? [] : [identity];
  return ok({ ...principalView({ principal, createdAt: at }, tokens, identities), ...made?.shown });
}

/** A name as it is stored: proved where a token of the issuer came with it, which has to be about that very subject. */
async function identityOf(
  { newId, clock, issuedTokens }: PrincipalAdminDeps,
  principalId: string,
  { proof, ...name }: IdentityDraft,
  at: string,
): Promise<Result<VouchedIdentity, AdminFailure>> {
  const identity = { id: newId(), principalId, createdAt: clock.now(), ...name };
  if (proof === undefined) return ok(identity);
  const verified = await issuedTokens?.verify(proof);
  if (
    verified?.ok === true &&
    verified.value.issuer === name.issuer &&
    verified.value.subject === name.subject
  )
    return ok({ ...identity, provedAt: clock.now() });
  const message = 'The proof is no valid token of this issuer about this subject.';
  return err({ code: 'INVALID_REQUEST', message, field: `${at}proof` });
}

/** A principal that is not switched off. One that is gets nothing new to show itself with. */
async function liveOne(
  { principals }: PrincipalAdminDeps,
  caller: PrincipalCaller,
  name: string,
): Promise<Result<Principal, AdminFailure>> {
  const found = (await principals.records(caller)).find((record) => record.principal.name === name);
  return found === undefined || found.disabledAt !== undefined ? err(noPrincipal()) : ok(found.principal);
}

async function tokenToReplace(
  { principals, clock }: PrincipalAdminDeps,
  caller: PrincipalCaller,
  principal: Principal,
  tokenId: string | undefined,
): Promise<Result<TokenRecord, AdminFailure>> {
  const own = (await principals.tokens(caller)).filter((one) => one.principalId === principal.id);
  const live = own.filter((one) => one.expiresAt > clock.now());
  const wanted = tokenId === undefined ? live : live.filter((one) => one.id === tokenId);
  const [only, another] = wanted;
  if (only !== undefined && another === undefined) return ok(only);
  return err(only === undefined ? noSuchToken : severalTokens);
}

const noSuchToken: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no such live token to rotate.',
  field: 'token_id',
};

/** One that is on its way out after a rotation is live as well. */
const severalTokens: AdminFailure = {
  code: 'CONFLICT',
  message: 'There are several live tokens: name one.',
  field: 'token_id',
  suggestion: 'GET /v1/principals, or `switchyard principals list --json`, has the id and the end of each.',
};

interface Made {
  readonly record: TokenRecord;
  readonly shown: NewCredential;
}

function newCredential(
  deps: PrincipalAdminDeps,
  principal: Principal,
  draft: {
    readonly scheme: 'bearer' | 'basic';
    readonly permissions?: Permissions;
    readonly ttlSeconds?: number;
  },
  label: string,
): Made {
  const { scheme, permissions } = draft;
  const { text, hash } = newToken(deps.randomBytes(32));
  const id = deps.newId();
  const createdAt: Instant = deps.clock.now();
  const expiresAt = createdAt + (draft.ttlSeconds ?? usualTtlSeconds) * 1000;
  const secret = scheme === 'bearer' ? { token: text } : { username: principal.id, password: text };
  return {
    record: {
      id,
      principalId: principal.id,
      scheme,
      hash: scheme === 'bearer' ? hash : hashPair(principal.id, text),
      label,
      createdAt,
      expiresAt,
      ...(permissions === undefined ? {} : { permissions }),
    },
    shown: { principal_id: principal.id, token_id: id, ...secret, expires_at: isoOf(expiresAt) },
  };
}

function nameTaken(field: string): AdminFailure {
  return { code: 'CONFLICT', message: 'That name stands for somebody already.', field };
}

function noPrincipal(): AdminFailure {
  return { code: 'NOT_FOUND', message: 'There is no such principal.', field: 'name' };
}

function beyondFailure(beyond: string, field: string): AdminFailure {
  return { code: 'INVALID_REQUEST', message: `This would give ${beyond}, which you do not hold.`, field };
}
