import type { LimitUse } from '@switchyard/buys';
import type { OAuthStore, SpendingLimits } from '@switchyard/store';
import { ownReach, programKey, type PrincipalDirectory, type TokenRecord } from '@switchyard/tenancy';
import { defined, err, isoOf, isUuid, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { limitRow, viewOf } from './limits.routes.js';
import { instant } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';

interface SessionsDeps {
  readonly principals: Pick<PrincipalDirectory, 'tokens' | 'revokeToken'>;
  readonly programs: Pick<OAuthStore, 'grantsOf' | 'endGrantOf'>;
  readonly spendingLimits: Pick<SpendingLimits, 'list' | 'rates' | 'remove'>;
  readonly clock: Clock;
}

const session = z.strictObject({
  session_id: z.string(),
  current: z.boolean().describe('The one that this request came with.'),
  device: z.string().exactOptional().describe('As the browser calls itself.'),
  address: z.string().exactOptional(),
  created_at: instant,
  last_used_at: instant.exactOptional().describe('To the minute.'),
  expires_at: instant,
});

const program = z.strictObject({
  program_id: z.string(),
  name: z.string().exactOptional().describe('As the program calls itself; nobody has checked it.'),
  client_id: z.string(),
  access: z.array(z.strictObject({ resource: z.string(), scopes: z.array(z.string()) })),
  limit: limitRow.exactOptional().describe('What it may spend for you; absent: it cannot buy.'),
  created_at: instant,
  expires_at: instant,
});

const route = routesOn<SessionsDeps>();

/** A person's own sign-ins and the programs that it has authorized, by its session. */
export const sessionRoutes = [
  route({
    method: 'get',
    path: '/v1/me/sessions',
    id: 'list_sessions',
    summary: 'Where you are signed in, the newest first',
    needs: 'own_session',
    answer: z.strictObject({ sessions: z.array(session) }),
    handle: async (deps, { caller }) => ok({ sessions: (await own(deps, caller)).map(viewFor(caller)) }),
  }),
  route({
    method: 'delete',
    path: '/v1/me/sessions/{id}',
    id: 'end_own_session',
    summary: 'End one of your sessions',
    needs: 'own_session',
    answer: z.strictObject({ session_id: z.string(), ended: z.literal(true) }),
    handle: async (deps, { caller, params: { id } }) => {
      const isOwn = isUuid(id) && (await own(deps, caller)).some((token) => token.id === id);
      return isOwn && (await deps.principals.revokeToken(caller, id, deps.clock.now()))
        ? ok({ session_id: id, ended: true as const })
        : err({ code: 'NOT_FOUND', message: 'You have no session with this id.', field: 'id' });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/sessions/end-others',
    id: 'end_other_sessions',
    summary: 'End all your other sessions',
    needs: 'own_session',
    answer: z.strictObject({ ended: z.int() }),
    handle: async (deps, { caller }) => {
      const others = (await own(deps, caller)).filter(({ id }) => id !== caller.sessionId);
      for (const { id } of others) await deps.principals.revokeToken(caller, id, deps.clock.now());
      return ok({ ended: others.length });
    },
  }),
  route({
    method: 'get',
    path: '/v1/me/programs',
    id: 'list_programs',
    summary: 'Programs with access to your account, newest first',
    needs: 'own_session',
    answer: z.strictObject({ programs: z.array(program) }),
    handle: async (deps, { caller }) => {
      const at = deps.clock.now();
      const [grants, limits, rateOf] = await Promise.all([
        deps.programs.grantsOf(caller, caller.principalId, at),
        limitsOf(deps, caller),
        deps.spendingLimits.rates(caller, at),
      ]);
      return ok({
        programs: grants.map(({ id, clientName, clientId, resources, createdAt, expiresAt }) => {
          const use = limitIn(limits, caller, clientId);
          return {
            program_id: id,
            ...(clientName !== undefined && { name: clientName }),
            client_id: clientId,
            access: Object.entries(resources).map(([resource, scope]) => ({
              resource,
              scopes: scope.split(' '),
            })),
            ...(use !== undefined && { limit: viewOf(use, rateOf) }),
            created_at: isoOf(createdAt),
            expires_at: isoOf(expiresAt),
          };
        }),
      });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/me/programs/{id}',
    id: 'end_program',
    summary: 'Revoke the access of a program; its tokens end at once',
    needs: 'own_session',
    answer: z.strictObject({ program_id: z.string(), ended: z.literal(true) }),
    handle: async (deps, { caller, params: { id } }) => {
      const { programs, clock, spendingLimits } = deps;
      const grants = await programs.grantsOf(caller, caller.principalId, clock.now());
      if (!(await programs.endGrantOf(caller, caller.principalId, id)))
        return err({ code: 'NOT_FOUND', message: 'You have no program with this id.', field: 'id' });
      const clientId = grants.find((grant) => grant.id === id)?.clientId;
      const isLast = !grants.some((grant) => grant.id !== id && grant.clientId === clientId);
      const use = isLast ? limitIn(await limitsOf(deps, caller), caller, clientId ?? '') : undefined;
      if (use !== undefined)
        await spendingLimits.remove(caller, use.limit.id, caller.principalId, clock.now());
      return ok({ program_id: id, ended: true as const });
    },
  }),
];

/** The most limits of one person's programs that are read. */
const shownLimits = 200;

function limitsOf(
  { spendingLimits, clock }: SessionsDeps,
  caller: PrincipalCaller,
): Promise<readonly LimitUse[]> {
  const page = { reach: ownReach(caller.principalId), at: clock.now(), limit: shownLimits };
  return spendingLimits.list(caller, page);
}

function limitIn(
  limits: readonly LimitUse[],
  { principalId }: PrincipalCaller,
  clientId: string,
): LimitUse | undefined {
  const key = programKey(principalId, clientId);
  return limits.find(({ limit }) => limit.kind === 'program' && limit.key === key);
}

async function own(
  { principals, clock }: SessionsDeps,
  caller: PrincipalCaller,
): Promise<readonly TokenRecord[]> {
  const tokens = await principals.tokens(caller, caller.principalId);
  return tokens
    .filter(({ scheme, expiresAt }) => scheme === 'session' && expiresAt > clock.now())
    .toReversed();
}

const viewFor =
  ({ sessionId }: PrincipalCaller) =>
  ({ id, device, address, createdAt, lastUsedAt, expiresAt }: TokenRecord): z.output<typeof session> => ({
    session_id: id,
    current: id === sessionId,
    ...defined({ device, address }),
    created_at: isoOf(createdAt),
    ...(lastUsedAt !== undefined && { last_used_at: isoOf(lastUsedAt) }),
    expires_at: isoOf(expiresAt),
  });
