import type { ScimAccesses } from '@switchyard/store';
import { hashOfScheme, type PrincipalDirectory } from '@switchyard/tenancy';
import { err, isoOf, ok } from '@switchyard/values';
import { z } from 'zod';
import { tokenOfCell } from '../platform/ids.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { instant } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';

export interface ScimAccessDeps extends ControlDeps {
  readonly scimAccesses: ScimAccesses;
  readonly principals: Pick<PrincipalDirectory, 'issueToken'>;
  readonly baseUrl: () => string;
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Buffer;
}

const day = 24 * 3600;

const access = {
  allowed: z.boolean(),
  base_url: z.string().describe('For the provisioning system: the address of SCIM 2.0.'),
  principal_id: z.string().exactOptional().describe('Whose tokens open it.'),
  allowed_at: instant.exactOptional(),
  users: z.int().exactOptional().describe('People that it manages.'),
  groups: z.int().exactOptional().describe('Teams that it manages.'),
};

const example = {
  allowed: true,
  base_url: 'https://switchyard.agency.example/scim/v2',
  principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
  allowed_at: '2026-11-21T12:00:00.000Z',
  users: 41,
  groups: 3,
};

const route = routesOn<ScimAccessDeps>();
const baseOf = ({ baseUrl }: Pick<ScimAccessDeps, 'baseUrl'>): string => `${baseUrl()}/scim/v2`;

/** Whether a provisioning system manages people and teams (docs/guides/admin.md#people-by-scim). */
export const scimRoutes = [
  route({
    method: 'get',
    path: '/v1/scim',
    id: 'show_scim',
    summary: 'Whether a provisioning system manages people and teams by SCIM, and at which address',
    needs: 'principals.read',
    isOfOrganization: true,
    answer: z.strictObject(access),
    example,
    handle: async (deps, { caller }) => {
      const found = await deps.scimAccesses.of(caller);
      const base = { allowed: found !== undefined, base_url: baseOf(deps) };
      if (found === undefined) return ok(base);
      const { principalId, allowedAt, users, groups } = found;
      return ok({ ...base, principal_id: principalId, allowed_at: isoOf(allowedAt), users, groups });
    },
  }),
  route({
    method: 'post',
    path: '/v1/scim',
    id: 'allow_scim',
    summary: 'Let a provisioning system manage people and teams by SCIM; another person approves it',
    needs: 'principals.write',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ allowed: z.literal(true), base_url: access.base_url, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller }) => {
      const act = { kind: 'allow_scim', principalId: deps.newId() } as const;
      const taken = await takeControl(deps, caller, act);
      if ('answer' in taken) return taken.answer;
      return ok({ allowed: true as const, base_url: baseOf(deps), ...aloneOf(taken) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/scim/tokens',
    id: 'add_scim_token',
    showsOnce: true,
    summary: 'Issue a token for the provisioning system; it opens SCIM and nothing else',
    needs: 'principals.write',
    isOfOrganization: true,
    byPerson: true,
    body: z.strictObject({
      ttl_seconds: z
        .int()
        .min(3600)
        .max(2 * 365 * day)
        .default(365 * day),
    }),
    answer: z.strictObject({
      token_id: z.string(),
      token: z.string().describe('Shown this once.'),
      base_url: access.base_url,
      expires_at: instant,
    }),
    status: 201,
    handle: async (deps, { caller, body }) => {
      const found = await deps.scimAccesses.of(caller);
      if (found === undefined)
        return err({
          code: 'CONFLICT',
          message: 'The organization lets no provisioning system manage its people.',
          suggestion: 'Allow it first: POST /v1/scim.',
        });
      const { text } = tokenOfCell(deps.randomBytes(32));
      const createdAt = deps.clock.now();
      const made = {
        id: deps.newId(),
        principalId: found.principalId,
        scheme: 'scim' as const,
        hash: hashOfScheme('scim', text),
        label: `made by ${caller.name}`,
        createdAt,
        expiresAt: createdAt + body.ttl_seconds * 1000,
      };
      await deps.principals.issueToken(caller, made, caller.principalId);
      return ok({
        token_id: made.id,
        token: text,
        base_url: baseOf(deps),
        expires_at: isoOf(made.expiresAt),
      });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/scim',
    id: 'end_scim',
    summary: 'End provisioning at once, with every token of it; people and teams stay as they are',
    needs: 'principals.delete',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ allowed: z.literal(false) }),
    handle: async ({ scimAccesses, clock }, { caller }) =>
      (await scimAccesses.end(caller, clock.now()))
        ? ok({ allowed: false as const })
        : err({
            code: 'NOT_FOUND',
            message: 'The organization lets no provisioning system manage its people.',
          }),
  }),
];
