import type { Delegation, RelayLog } from '@switchyard/relay';
import type { Connection, ConnectionDirectory } from '@switchyard/sellers';
import { admitToken, type PrincipalDirectory, type TenantScope, type TokenMatch } from '@switchyard/tenancy';
import type { SealedCredential, Vault } from '@switchyard/vault';
import type { Clock, Instant } from '@switchyard/values';

/** What one token may do at one seller, as last read. The mark identifies the row versions that were read. */
export interface KnownPath {
  readonly mark: string;
  readonly match: TokenMatch;
  readonly scope: TenantScope;
  readonly connection: Connection;
  readonly delegations: readonly Delegation[];
  /** The seller's credential as stored in the vault; absent if the seller needs none. */
  readonly sealed?: SealedCredential;
  /** Our own domain: the operator of a request that names none. */
  readonly domain?: string;
  readonly readAt: Instant;
  /** The path of the address that the seller may call, once a request has used it. */
  callback?: string;
}

export interface KnownPaths {
  /** The remembered path; it is valid only if the database confirms it. */
  find(tokenHash: Buffer, seller: string): KnownPath | undefined;
  /** Reads the rows again in the background, for the next request. Not for a refused request. */
  learn(tokenHash: Buffer, seller: string): void;
  /** Forgets a path that the database did not confirm. */
  forget(tokenHash: Buffer, seller: string): void;
  /** Resolves once no read is running. */
  settled(): Promise<void>;
}

export interface KnownPathsDeps {
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly log: RelayLog;
  /** Our own domain: the operator of a request that names none. */
  readonly domainOf: (scope: TenantScope) => Promise<string | undefined>;
  readonly onUnexpected: (error: unknown, where: string) => void;
  readonly principals: Pick<PrincipalDirectory, 'findByTokenHash'>;
  readonly vault: Pick<Vault, 'sealed'>;
  readonly clock: Clock;
}

/** The most remembered paths, and how long one is used without reading it again, in milliseconds. */
const most = 5_000;
const freshMs = 60_000;

/**
 * Caches the rows that admit a relayed request: they rarely change, and take five queries to read. The statement that
 * admits a request compares their versions.
 */
export function createKnownPaths(deps: KnownPathsDeps): KnownPaths {
  const known = new Map<string, KnownPath>();
  const reading = new Map<string, Promise<void>>();

  const learn = async (key: string, tokenHash: Buffer, seller: string): Promise<void> => {
    try {
      const path = await readPath(deps, tokenHash, seller);
      if (path === undefined) return void known.delete(key);
      if (known.size >= most) known.clear();
      known.set(key, path);
    } catch (error) {
      deps.onUnexpected(error, 'reading a relay path');
    } finally {
      reading.delete(key);
    }
  };

  const begin = (key: string, tokenHash: Buffer, seller: string): void => {
    if (!reading.has(key)) reading.set(key, learn(key, tokenHash, seller));
  };

  return {
    find: (tokenHash, seller) => {
      const key = keyOf(tokenHash, seller);
      const path = known.get(key);
      if (path === undefined) return undefined;
      const age = deps.clock.now() - path.readAt;
      // Read again while it is still valid, so that a busy path never waits for it.
      if (age > freshMs / 2) begin(key, tokenHash, seller);
      return age < freshMs ? path : undefined;
    },
    learn: (tokenHash, seller) => begin(keyOf(tokenHash, seller), tokenHash, seller),
    forget: (tokenHash, seller) => void known.delete(keyOf(tokenHash, seller)),
    settled: async () => {
      await Promise.all(reading.values());
    },
  };
}

function keyOf(tokenHash: Buffer, seller: string): string {
  return `${tokenHash.toString('latin1')}${seller}`;
}

/** The mark is read before its rows: a row that changes in between makes the mark outdated. */
async function readPath(
  deps: KnownPathsDeps,
  tokenHash: Buffer,
  seller: string,
): Promise<KnownPath | undefined> {
  const found = await rowsOf(deps, tokenHash, seller);
  if (found === undefined) return undefined;
  const mark = await deps.log.pathMark(found.scope, {
    tokenId: found.match.token.id,
    principalId: found.match.principal.id,
    connectionId: found.connection.id,
    seller,
  });
  const read = await rowsOf(deps, tokenHash, seller);
  if (read?.connection.id !== found.connection.id) return undefined;
  const { scope, match, connection } = read;
  const delegations = await deps.log.delegationsOf(scope, match.principal.id, seller);
  const sealed = await sealedOf(deps, scope, connection);
  if (connection.credentialId !== undefined && sealed === undefined) return undefined;
  const domain = await deps.domainOf(scope);
  return {
    mark,
    match,
    scope,
    connection,
    delegations,
    readAt: deps.clock.now(),
    ...(sealed === undefined ? {} : { sealed }),
    ...(domain === undefined ? {} : { domain }),
  };
}

async function rowsOf(
  { principals, connections, clock }: KnownPathsDeps,
  tokenHash: Buffer,
  seller: string,
): Promise<Pick<KnownPath, 'scope' | 'match' | 'connection'> | undefined> {
  const match = await principals.findByTokenHash(tokenHash);
  if (match === undefined || !admitToken(match, clock.now()).ok) return undefined;
  const scope = { organizationId: match.principal.organizationId };
  const connection = await connections.bySlug(scope, seller);
  return connection === undefined ? undefined : { scope, match, connection };
}

async function sealedOf(
  { vault }: KnownPathsDeps,
  scope: TenantScope,
  { credentialId }: Connection,
): Promise<SealedCredential | undefined> {
  if (credentialId === undefined) return undefined;
  const found = await vault.sealed(scope, [credentialId]);
  return found.ok ? found.value.find((row) => row.credentialId === credentialId) : undefined;
}
