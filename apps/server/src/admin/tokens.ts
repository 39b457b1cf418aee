import {
  firstBeyond,
  newToken,
  tokenLifetimeMs,
  type PrincipalDirectory,
  type TenantScope,
} from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../tasks/ports/admin.js';
import type { PrincipalCaller } from '../tasks/task-call.js';
import { instant } from './fields.js';
import { routesOn } from './route.js';

export interface TokensDeps {
  readonly principals: Pick<PrincipalDirectory, 'findByName' | 'mintToken'>;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Buffer;
  /** The address that callers reach us at, without a trailing slash. */
  readonly baseUrl: () => string;
  /** The organization and principal that the holder of the data folder acts as. */
  readonly local: { readonly scope: TenantScope; readonly principalName: string };
  /** Resolves once the sellers of this start are live. */
  readonly sellersReady: () => Promise<void>;
}

interface NewToken {
  readonly token: string;
  readonly principal: string;
  readonly expires_at: string;
}

const route = routesOn<TokensDeps>();

/** Tokens for the command line. A principal's other tokens are at `/v1/principals/{name}/tokens`. */
export const tokenRoutes = [
  route({
    method: 'post',
    path: '/v1/tokens',
    id: 'mint_token',
    summary: 'Hand out a token',
    needs: 'principals.write',
    takesAdminSecret: true,
    body: z.strictObject({
      ttl_seconds: z
        .int()
        .min(1)
        .max(31 * 24 * 3600)
        .exactOptional(),
      principal: z.string().min(1).max(200).exactOptional(),
    }),
    answer: z.strictObject({
      url: z.string(),
      mcp_url: z.string(),
      a2a_url: z.string(),
      token: z.string().describe('Shown this once.'),
      principal: z.string(),
      expires_at: instant,
    }),
    handle: async (deps, { caller, body }) => {
      const issued = await mintToken(deps, caller, body);
      if (!issued.ok) return issued;
      const url = deps.baseUrl();
      return ok({ url, mcp_url: `${url}/mcp`, a2a_url: `${url}/a2a`, ...issued.value });
    },
  }),
];

/**
 * Hands out a bearer token. The holder of the data folder's admin secret (`local`) may ask for any principal; a
 * principal that may write `principals` asks within its own organization. Resolves once the sellers of this start are
 * live, so that the first request with it meets the whole market. It lives 24 hours unless `ttl_seconds` is set.
 */
export async function mintToken(
  deps: TokensDeps,
  by: PrincipalCaller | 'local',
  request: { readonly ttl_seconds?: number; readonly principal?: string },
): Promise<Result<NewToken, AdminFailure>> {
  await deps.sellersReady();
  const scope = by === 'local' ? deps.local.scope : { organizationId: by.organizationId };
  const name = request.principal ?? (by === 'local' ? deps.local.principalName : by.name);
  const principal = await deps.principals.findByName(scope, name);
  if (principal === undefined)
    return err({ code: 'NOT_FOUND', message: `There is no principal called ${name}.`, field: 'principal' });
  const beyond = by === 'local' ? undefined : firstBeyond(by.permissions, principal.permissions);
  if (beyond !== undefined)
    return err({
      code: 'INVALID_REQUEST',
      message: `This would give ${beyond}, which you do not hold.`,
      field: 'principal',
    });
  const now = deps.clock.now();
  const lifetimeMs = request.ttl_seconds === undefined ? tokenLifetimeMs : request.ttl_seconds * 1000;
  const { text, hash } = newToken(deps.randomBytes(32));
  await deps.principals.mintToken(scope, {
    id: deps.newId(),
    principalId: principal.id,
    scheme: 'bearer',
    hash,
    label: by === 'local' ? 'switchyard token' : `minted by ${by.name}`,
    createdAt: now,
    expiresAt: now + lifetimeMs,
  });
  return ok({ token: text, principal: principal.name, expires_at: isoOf(now + lifetimeMs) });
}
