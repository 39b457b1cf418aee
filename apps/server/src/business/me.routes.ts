import type { LimitUse } from '@switchyard/buys';
import type { Organizations, SpendingLimits } from '@switchyard/store';
import {
  directGrant,
  passwordFault,
  programKey,
  type Permissions,
  type Reach,
  type TeamDirectory,
} from '@switchyard/tenancy';
import { err, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import {
  isOldSession,
  oldSession,
  passwordFaults,
  productName,
  textOf,
  tooBusy,
  type Passwords,
} from '../people/index.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { limitRow, viewOf } from './limits.routes.js';
import { newPassword, permissionsView } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';

interface MeDeps {
  readonly passwords: Pick<Passwords, 'set'>;
  readonly organizations: Pick<Organizations, 'byId'>;
  readonly spendingLimits: Pick<SpendingLimits, 'list' | 'rates'>;
  readonly teams: Pick<TeamDirectory, 'of'>;
  readonly clock: Clock;
}

/** The most limits in one answer. */
const shownLimits = 50;

const route = routesOn<MeDeps>();

/** The caller, and its permissions by scope. */
export const meRoutes = [
  route({
    method: 'get',
    path: '/v1/me',
    id: 'show_me',
    summary: 'Your principal, and the permissions of this credential by scope',
    needs: 'a_credential',
    answer: z.strictObject({
      principal_id: z.string(),
      name: z.string(),
      kind: z.enum(['buyer', 'brand', 'person', 'service']),
      brand_domain: z.string().exactOptional(),
      program: z
        .strictObject({ client_id: z.string() })
        .exactOptional()
        .describe('The program that acts for you with this credential; absent: you act yourself.'),
      organization: z.strictObject({
        organization_id: z.string(),
        name: z.string(),
        domain: z.string(),
        time_zone: z.string(),
        reporting_currency: z.string(),
      }),
      teams: z
        .array(z.strictObject({ team_id: z.string(), name: z.string() }))
        .describe('Those that you are in, by name: their roles are listed among `grants`.'),
      roles: z.array(z.string()),
      grants: z.array(
        z.strictObject({
          role: z.string().exactOptional().describe('Absent: what you hold by yourself.'),
          scope: z.string(),
          permissions: permissionsView,
        }),
      ),
      permissions: permissionsView.describe('All of them, each in at least one scope.'),
      permission_list: z
        .array(z.string())
        .describe(
          'The same in one list, for example media_buys.read: what a page needs stands in it or not.',
        ),
      second_factor_due: z
        .literal(true)
        .exactOptional()
        .describe('This session sets up a second factor before anything else.'),
      scopes: z.array(z.string()).describe('Every scope of `grants` once.'),
      limits: z
        .array(limitRow)
        .describe(
          'Spending limits on you, on your programs (a program sees its own), on each buy (`each-buy`) and on buys for a new brand (`new-brand`), and on the clients, brands and campaigns of your grants: the newest fifty.',
        ),
    }),
    example: {
      principal_id: '5a0e8a52-3f6d-4b1d-9d5a-0c5b8f1e2a77',
      name: 'ann',
      kind: 'person',
      organization: {
        organization_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
        name: 'Practice Agency',
        domain: 'agency.example',
        time_zone: 'Europe/Berlin',
        reporting_currency: 'EUR',
      },
      teams: [{ team_id: '1f6a3c0e-53b3-4c58-9d5b-0a3a54a2b0e1', name: 'traders of Nova' }],
      roles: ['viewer'],
      grants: [{ role: 'viewer', scope: 'brand:acme.example', permissions: { media_buys: ['read'] } }],
      permissions: { media_buys: ['read'] },
      permission_list: ['media_buys.read'],
      scopes: ['brand:acme.example'],
      limits: [
        {
          limit_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          for: 'brand:acme.example',
          limit: '50000',
          currency: 'EUR',
          per: 'month',
          above: 'ask',
          committed: '29900.5',
          pending: '0',
          left: '20099.5',
          set_at: '2026-11-21T12:00:00.000Z',
        },
      ],
    },
    handle: async ({ organizations, spendingLimits, teams, clock }, { caller }) => {
      const { principalId, name, principalKind, brandDomain, organizationId, program } = caller;
      const organization = await organizations.byId(organizationId);
      if (organization === undefined) throw new Error(`The organization ${organizationId} is gone.`);
      const grants = (caller.grants ?? [directGrant(caller)]).filter(
        ({ role, permissions }) => role !== undefined || Object.keys(permissions).length > 0,
      );
      const [at, scope] = [clock.now(), { organizationId }];
      const [rateOf, limits, isIn] = await Promise.all([
        spendingLimits.rates(scope, at),
        spendingLimits.list(scope, { reach: ownReach(caller), at, limit: shownLimits, withEachBuy: true }),
        teams.of(scope, principalId),
      ]);
      return ok({
        principal_id: principalId,
        name,
        kind: principalKind,
        ...(brandDomain !== undefined && { brand_domain: brandDomain }),
        ...(program !== undefined && { program: { client_id: program } }),
        organization: {
          organization_id: organizationId,
          name: organization.name,
          domain: organization.domain,
          time_zone: organization.timeZone,
          reporting_currency: organization.reportingCurrency,
        },
        teams: isIn.map((team) => ({ team_id: team.id, name: team.name })),
        roles: [...new Set(grants.flatMap(({ role }) => role ?? []))],
        grants: grants.map(({ role, scope, permissions }) => ({
          ...(role !== undefined && { role }),
          scope: textOf(scope),
          permissions,
        })),
        permissions: caller.permissions,
        permission_list: listOf(caller.permissions),
        ...(caller.factorDue === true && { second_factor_due: true as const }),
        scopes: [...new Set(grants.map(({ scope }) => textOf(scope)))],
        limits: limits.filter(isShownTo(caller)).map((use) => viewOf(use, rateOf)),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/me/password',
    id: 'set_password',
    summary:
      'Set the e-mail address and password that you sign in with; every session of yours ends, and with another password every program that you let in. The first one: within 15 minutes of a sign-in',
    needs: 'own_session',
    secretsTaken: ['password', 'current_password'],
    body: z.strictObject({
      email: z.email().max(254),
      password: newPassword,
      current_password: z.string().max(200).exactOptional().describe('Needed where there is a password.'),
    }),
    bodyExample: { email: 'ann@agency.example', password: 'four-words-and-a-dot.' },
    answer: z.strictObject({ email: z.string() }),
    handle: async (
      { passwords, organizations, clock },
      { caller, body: { email, password, current_password: current } },
    ) => {
      if (current === undefined && isOldSession(caller, clock)) return err(oldSession);
      const organization = await organizations.byId(caller.organizationId);
      const fault = passwordFault(password, [organization?.name ?? '', caller.name, email, productName]);
      if (fault !== undefined) return err(passwordFaults[fault]);
      const wanted = { email, password, ...(current !== undefined && { current }) };
      const set = await passwords.set(caller, caller.principalId, wanted);
      return set.ok ? ok({ email }) : err(passwordRefusals[set.error]);
    },
  }),
];

const passwordRefusals = {
  wrong: {
    code: 'INVALID_REQUEST',
    message: 'The current password is not correct, or there were too many attempts in the last 15 minutes.',
    field: 'current_password',
  },
  busy: tooBusy,
} as const;

function listOf(permissions: Permissions): readonly string[] {
  return Object.entries(permissions).flatMap(([area, kinds]) => kinds.map((kind) => `${area}.${kind}`));
}

/** A program is shown its own limit, and none of its person's other programs. */
const isShownTo =
  ({ principalId, program }: PrincipalCaller) =>
  ({ limit }: LimitUse): boolean =>
    program === undefined || limit.kind !== 'program' || limit.key === programKey(principalId, program);

/** The limits that concern a caller: its own, and those on the scopes of its grants, with any permission. */
function ownReach({ principalId, grants = [] }: PrincipalCaller): Reach {
  const idsOf = (kind: 'client' | 'brand' | 'campaign') =>
    grants.flatMap(({ scope }) => (scope.kind === kind ? [scope.id] : []));
  return {
    kind: 'limited',
    principalId,
    clientIds: idsOf('client'),
    brandDomains: idsOf('brand'),
    campaignIds: idsOf('campaign'),
  };
}
