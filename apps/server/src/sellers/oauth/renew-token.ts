import {
  throughLogin,
  type Connection,
  type ConnectionDirectory,
  type SellerAuthorization,
  type SellerTransport,
} from '@switchyard/sellers';
import type { LeaseSecrets } from '@switchyard/buys';
import type { RenewalLease } from '@switchyard/store';
import type { AlarmRepository, IsStopped, TenantScope } from '@switchyard/tenancy';
import { defined, err, type Clock, type Instant, type Result } from '@switchyard/values';
import type { Lane } from '../../platform/lanes/lanes.js';
import { obtainToken, type ObtainDeps } from './obtain-token.js';
import type { RefusedTokens } from './renewing-transport.js';
import type { TokenRefusal, TokenRequests } from './token-requests.js';

export interface RenewDeps extends ObtainDeps {
  readonly requests: TokenRequests;
  readonly connections: Pick<ConnectionDirectory, 'byId' | 'updateState'>;
  readonly alarms: Pick<AlarmRepository, 'raise'>;
  readonly transport: Pick<SellerTransport, 'forget'>;
  /** A stop of a seller, or of everything, also holds its authorization server. */
  readonly isStopped: IsStopped;
  /** Names this process in leases. */
  readonly processId: string;
  readonly onUnexpected: (error: unknown, where: string) => void;
}

/** Longer than a request to an authorization server may take, in milliseconds. */
const leaseMs = 15_000;
/** How often a caller looks whether another process has renewed a dead token, in milliseconds. */
const lookMs = 100;
const firstPauseMs = 5_000;
const longestPauseMs = 5 * 60_000;

/** States in which a seller is called. */
export const isCalled = ({ state }: Pick<SellerAuthorization, 'state'>): boolean =>
  state === 'authorised' || state === 'expiring';

/**
 * Renews the token of a seller if nobody else does at the moment. Undefined if another process does, or if there is
 * nothing to renew.
 */
export async function renewToken(
  deps: RenewDeps,
  scope: TenantScope,
  seen: SellerAuthorization,
): Promise<Result<SellerAuthorization, TokenRefusal> | undefined> {
  const lease = await deps.authorizations.take(scope, seen, { by: deps.processId, ms: leaseMs });
  const connection = lease && (await deps.connections.byId(scope, seen.connectionId));
  if (lease === undefined || connection === undefined) return undefined;
  const { grant, refreshCredentialId } = lease.authorization;
  const got =
    grant === 'authorization_code' && refreshCredentialId === undefined
      ? err<TokenRefusal>({
          kind: 'grant',
          code: 'ended',
          words: 'Its token has ended, and cannot be renewed.',
        })
      : await obtainToken(deps, scope, {
          lease,
          connection,
          ask: (client, wanted, refresh) =>
            grant === 'client_credentials'
              ? deps.requests.byClient(client, wanted)
              : refresh === undefined
                ? Promise.resolve(err(unopened))
                : deps.requests.byRefresh(client, refresh, wanted),
        });
  if (!got.ok) await noteRefusal(deps, scope, { lease, connection, refusal: got.error });
  return got;
}

const unopened: TokenRefusal = {
  kind: 'grant',
  code: 'secret_unopened',
  words: 'The secret that renews its token cannot be opened.',
};

/** Stores what a refusal means. A sign-in that is over takes its seller out of use, and an alarm tells of it. */
export async function noteRefusal(
  deps: RenewDeps,
  scope: TenantScope,
  {
    lease,
    connection,
    refusal,
  }: { readonly lease: RenewalLease; readonly connection: Connection; readonly refusal: TokenRefusal },
): Promise<void> {
  const now = deps.clock.now();
  const next = afterRefusal(lease.authorization, refusal, now);
  if (!(await deps.authorizations.settle(scope, lease, next, [], now)) || isCalled(next)) return;
  await endUse(deps, scope, connection, next);
}

/** The seller is not called any more, says why, and an alarm tells its owner. A draft stays one. */
export async function endUse(
  {
    connections,
    alarms,
    transport,
    clock,
  }: Pick<RenewDeps, 'connections' | 'alarms' | 'transport' | 'clock'>,
  scope: TenantScope,
  connection: Connection,
  { state, code, words, pin, forClient }: SellerAuthorization,
): Promise<void> {
  if (connection.state !== 'live') return;
  const detail = { seller: connection.slug, state, code, issuer: pin.issuer };
  if (forClient !== undefined) {
    // The other clients go on: only the calls of this one find no token.
    await transport.forget(connection.id);
    const subject = `seller ${connection.slug} client ${forClient}`;
    await alarms.raise(scope, { kind: 'sign_in_ended', subject, detail });
    return;
  }
  const reason = `${words} Sign in again: switchyard sellers add ${connection.agentUrl} --slug ${connection.slug}`;
  await connections.updateState(scope, connection, { state: 'failed', reason }, clock.now());
  await transport.forget(connection.id);
  await alarms.raise(scope, {
    kind: 'sign_in_ended',
    subject: `seller ${connection.slug}`,
    detail,
  });
}

function afterRefusal(
  authorization: SellerAuthorization,
  { kind, code, words }: TokenRefusal,
  now: Instant,
): SellerAuthorization {
  const { dueAt: _, ...kept } = authorization;
  const failures = authorization.failures + 1;
  if (kind === 'passing' || kind === 'lost') {
    const pauseMs = Math.min(firstPauseMs * 2 ** Math.min(failures - 1, 10), longestPauseMs);
    const isUsed = isCalled(authorization);
    return {
      ...kept,
      // One that never had a token waits for a person to try again.
      state: isUsed ? 'expiring' : authorization.state,
      code,
      words,
      failures,
      ...(isUsed && { dueAt: now + pauseMs }),
    };
  }
  return { ...kept, state: kind === 'client' ? 'refused' : 'needs_person', code, words, failures };
}

/**
 * Sees to it that a seller has another token than this version, for a call that found it dead or was refused with it:
 * renews it, or waits for the process that does. False if there is none.
 */
export async function replaceToken(
  deps: RenewDeps,
  scope: TenantScope,
  { connectionId, forClient }: Pick<SellerAuthorization, 'connectionId' | 'forClient'>,
  deadVersion?: number,
): Promise<boolean> {
  if (await deps.isStopped(scope.organizationId, 'seller', connectionId)) return false;
  const until = deps.clock.now() + leaseMs;
  for (;;) {
    const known = await deps.authorizations.find(scope, connectionId, forClient);
    if (known === undefined || !isCalled(known)) return false;
    const { accessVersion = 0, expiresAt, failures, dueAt } = known;
    const now = deps.clock.now();
    const isOther = deadVersion === undefined ? false : accessVersion > deadVersion;
    if (isOther || (deadVersion === undefined && expiresAt !== undefined && expiresAt > now)) return true;
    // After a failed try the next one is not made by each caller.
    if (failures > 0 && dueAt !== undefined && dueAt > now) return false;
    const renewed = await renewToken(deps, scope, known);
    if (renewed !== undefined) return renewed.ok;
    if (deps.clock.now() >= until) return false;
    await pause(deps.clock, lookMs);
  }
}

/** What the calls of sellers do about a token that was refused. */
export function refusedTokens(deps: RenewDeps, lease: LeaseSecrets): RefusedTokens {
  return {
    replace: async ({ organizationId, connectionId, credential }) => {
      const scope = { organizationId };
      const { forClient, id: credentialId = '', version } = credential ?? {};
      if (!(await replaceToken(deps, scope, { connectionId, ...defined({ forClient }) }, version)))
        return undefined;
      const connection = await deps.connections.byId(scope, connectionId);
      if (connection === undefined) return undefined;
      const login = forClient === undefined ? undefined : { clientId: forClient, credentialId };
      const leased = await lease(scope, [throughLogin(connection, login)], {
        operationId: connectionId,
        purpose: 'oauth.again',
      });
      return leased.ok ? leased.value.get(connectionId)?.credential : undefined;
    },
    refusedAgain: async ({ organizationId, connectionId, credential }) => {
      const scope = { organizationId };
      const [known, connection] = await Promise.all([
        deps.authorizations.find(scope, connectionId, credential?.forClient),
        deps.connections.byId(scope, connectionId),
      ]);
      if (known === undefined || connection === undefined || known.accessVersion !== credential?.version)
        return;
      const taken = await deps.authorizations.take(scope, known, { by: deps.processId, ms: leaseMs });
      if (taken === undefined) return;
      const refusal: TokenRefusal = {
        kind: 'client',
        code: 'token_refused',
        words: 'The seller refuses a token that its authorization server gave us a moment ago.',
      };
      await noteRefusal(deps, scope, { lease: taken, connection, refusal });
    },
  };
}

const pause = (clock: Clock, ms: number): Promise<void> =>
  new Promise((resolve) => {
    clock.after(ms, resolve);
  });

/** How often due tokens are searched, in milliseconds. */
const everyMs = 1_000;
/** Tokens of a tenant per visit. */
const atOnce = 16;

/** Renews tokens before they end, one process at a time each. */
export function tokensLane(deps: RenewDeps): Lane {
  return {
    name: 'tokens of sellers',
    everyMs,
    waitsFor: 'sellers',
    due: () => ({ seller_tokens: deps.clock.now() }),
    visit: async (scope) => {
      // A copy of the database that was restored must not use up the refresh tokens of the one that works.
      if (await deps.isStopped(scope.organizationId, 'all', '')) return;
      const due = await deps.authorizations.due(scope, deps.clock.now(), atOnce);
      await Promise.all(
        due.map((one) =>
          renewToken(deps, scope, one).catch((error: unknown) => {
            // Its lease ends, and it is tried again.
            deps.onUnexpected(error, 'renewing the token of a seller');
          }),
        ),
      );
    },
  };
}
