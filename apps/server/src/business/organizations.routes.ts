import { isCurrency } from '@switchyard/money';
import type { DomainCheck } from '@switchyard/sellers';
import type { NewOrganization, Organizations } from '@switchyard/store';
import {
  allPermissions,
  fourEyesRules,
  isHostName,
  isLoopbackName,
  isStepDown,
  isTimeZone,
  loosensRules,
  type CampaignRules,
  type Enrolment,
  type FourEyes,
  type Organization,
  type TenantScope,
} from '@switchyard/tenancy';
import { defined, err, isoOf, isUuid, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import { tokenOfCell } from '../platform/ids.js';
import type { AdminFailure } from '../platform/failure.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { instant, organizationName } from '../platform/routes/fields.js';
import { ruleMembers, rulesAfter, rulesOf } from './campaign-settings.js';
import { madeSortQuery, organizationWide } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn, type AdminCaller, type WaitsForApproval } from '../platform/routes/route.js';

export interface OrganizationsDeps extends ControlDeps {
  readonly organizations: Pick<Organizations, 'add' | 'after' | 'byId' | 'change' | 'saveProof'>;
  /** Checks a domain with every method that can prove it. */
  readonly checkDomain: (organization: Organization) => Promise<readonly DomainCheck[]>;
  /** In the local profile a domain may be a loopback name. */
  readonly allowsLoopback: boolean;
  readonly ownKeys: { ensure(scope: TenantScope, principalId: string): Promise<unknown> };
  readonly local: { readonly scope: TenantScope };
  readonly newId: () => string;
  readonly randomBytes: (size: number) => Buffer;
}

const members = {
  name: organizationName,
  domain: z.string().trim().toLowerCase().min(1).max(260),
  time_zone: z.string().refine(isTimeZone, 'must be a time zone like Europe/Berlin'),
  currency: z.string().refine(isCurrency, 'must be a currency of ISO 4217 like EUR'),
  reporting_currency: z.string().refine(isCurrency, 'must be a currency of ISO 4217 like EUR'),
};
const closing = z
  .boolean()
  .describe(
    'Whether a period may be closed without a reconciliation after its last change; ledger.approve sets it.',
  );
const fourEyes = z
  .enum(fourEyesRules)
  .describe(
    'What another person must decide is refused to whoever is known to act as the requester. strict: also where one ' +
      'person can act as both. off: no other person is demanded. A step towards off is a request, alone in its body.',
  );
const draft = z.strictObject({
  ...members,
  time_zone: members.time_zone.exactOptional(),
  currency: members.currency.exactOptional(),
  reporting_currency: members.reporting_currency.exactOptional(),
});
const change = draft
  .extend({ close_unreconciled: closing, four_eyes: fourEyes, ...ruleMembers })
  .partial()
  .refine((row) => Object.keys(row).length > 0, 'must change something');

const view = {
  organization_id: z.string(),
  name: z.string(),
  domain: z.string(),
  time_zone: z.string(),
  currency: z.string(),
  reporting_currency: z.string(),
  close_unreconciled: closing,
  four_eyes: fourEyes,
  ...ruleMembers,
  domain_proof: z.enum(['brand_json', 'well_known', 'dns']).exactOptional(),
  domain_proved_at: instant.exactOptional(),
  domain_challenge: z
    .string()
    .exactOptional()
    .describe('The content of the well-known file or the DNS record of the domain.'),
  created_at: instant,
};
const organization = z.strictObject(view);
type View = z.output<typeof organization>;

const added = z.strictObject({
  ...view,
  admin: z.strictObject({
    principal_id: z.string(),
    name: z.string(),
    token: z.string().describe('Shown this once.'),
    expires_at: instant,
  }),
});

const checked = z.strictObject({
  ...view,
  proved: z.boolean().describe('Whether this check proved the domain.'),
  checks: z.array(
    z.strictObject({
      by: z.enum(['brand_json', 'well_known', 'dns']),
      at: z.string().describe('The address or the name that was looked at.'),
      proves: z.boolean(),
      found: z.string(),
    }),
  ),
});

const example = {
  organization_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  name: 'Nova Agency',
  domain: 'nova.example',
  time_zone: 'Europe/Berlin',
  currency: 'EUR',
  reporting_currency: 'EUR',
  close_unreconciled: false,
  four_eyes: 'known',
  above_budget: 'ask',
  outside_flight: 'ask',
  domain_challenge: 'q2Zl1mGkT5cV8y0N7xRrX3bD4oJhUeWa',
  created_at: '2026-11-01T09:00:00.000Z',
} as const;

const route = routesOn<OrganizationsDeps>();

/** Organizations: all of them for the holder of the data folder's admin secret, the caller's own for anybody else. */
export const organizationRoutes = [
  route({
    method: 'get',
    path: '/v1/organizations',
    id: 'list_organizations',
    summary: 'The organizations of this installation; your own alone without its admin secret',
    needs: 'principals.read',
    takesAdminSecret: true,
    query: z.strictObject({ ...madeSortQuery, ...pageQuery }),
    answer: z.strictObject({ organizations: z.array(organization), next_cursor: nextCursor }),
    example: { organizations: [example] },
    handle: async ({ organizations }, { caller, query }) => {
      const walker = caller === 'local' ? { organizationId: '', principalId: 'local' } : caller;
      const page = await listPage(
        { id: 'organizations', caller: walker, query },
        async ({ after, limit }) => {
          if (caller === 'local')
            return organizations.after(
              after && { at: Number(after[0]), id: String(after[1]) },
              limit,
              query.sort,
            );
          const own = after === undefined ? await organizations.byId(caller.organizationId) : undefined;
          return own === undefined ? [] : [own];
        },
        ({ createdAt, id }) => [createdAt, id],
      );
      return page.ok ? ok({ organizations: page.value.rows.map(viewOf), ...page.value.next }) : page;
    },
  }),
  route({
    method: 'post',
    path: '/v1/organizations',
    id: 'add_organization',
    showsOnce: true,
    summary: 'Create an organization with its first admin; needs the admin secret of the data folder',
    needs: 'principals.write',
    takesAdminSecret: true,
    body: draft,
    answer: added,
    status: 201,
    handle: async (deps, { caller, body }) => (caller === 'local' ? add(deps, body) : err(onlyBySecret)),
  }),
  route({
    method: 'get',
    path: '/v1/organizations/{id}',
    id: 'show_organization',
    summary: 'One organization; `own` is yours',
    needs: 'principals.read',
    takesAdminSecret: true,
    answer: organization,
    example,
    handle: async (deps, { caller, params }) => {
      const found = await find(deps, caller, params.id);
      return found === undefined ? err(notFound) : ok(viewOf(found));
    },
  }),
  route({
    method: 'post',
    path: '/v1/organizations/{id}',
    id: 'set_organization',
    summary: 'Change name, domain, time zone, currencies or rules; a new domain must be proved again',
    needs: 'principals.write',
    takesAdminSecret: true,
    body: change,
    answer: z.strictObject({ ...view, ...aloneMember }),
    mayWait: true,
    example,
    handle: async (deps, { caller, params, body }) => {
      const found = await find(deps, caller, params.id);
      if (found === undefined) return err(notFound);
      // Whoever may not close a period does not decide what closing one takes.
      const isOfClosing = caller !== 'local' && body.close_unreconciled !== undefined;
      const narrow = isOfClosing ? organizationWide(caller, 'ledger', 'approve') : undefined;
      if (narrow !== undefined) return err({ ...narrow, field: 'close_unreconciled' });
      const rules = rulesAfter(found, body);
      if (caller !== 'local' && rules !== undefined && loosensRules(rulesOf(found), rules))
        return setRules(deps, caller, { found, rules, body });
      const { four_eyes: fourEyes, ...others } = body;
      // The holder of the data folder may write to the database.
      if (fourEyes === undefined || caller === 'local') return set(deps, found, body);
      return setFourEyes(deps, caller, { found, fourEyes, others });
    },
  }),
  route({
    method: 'post',
    path: '/v1/organizations/{id}/prove',
    id: 'prove_organization',
    summary: 'Check all proofs that the domain belongs to the organization',
    needs: 'principals.write',
    takesAdminSecret: true,
    answer: checked,
    handle: async (deps, { caller, params }) => {
      const found = await find(deps, caller, params.id);
      return found === undefined ? err(notFound) : prove(deps, found);
    },
  }),
];

const notFound: AdminFailure = { code: 'NOT_FOUND', message: 'No organization has this id.', field: 'id' };
const onlyBySecret: AdminFailure = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'Only the operator of this installation can create organizations.',
  suggestion: 'Run `switchyard organizations add` where the data folder is, or send its admin secret.',
};

/** `own` is the caller's organization; for the admin secret that of the data folder. Any other one is not found. */
async function find(
  { organizations, local }: OrganizationsDeps,
  caller: AdminCaller,
  named: string,
): Promise<Organization | undefined> {
  const own = caller === 'local' ? local.scope.organizationId : caller.organizationId;
  const id = named === 'own' ? own : named.toLowerCase();
  if (!isUuid(id) || (caller !== 'local' && id !== own)) return undefined;
  return organizations.byId(id);
}

/** An organization, its admin with a token of 90 days, and the admin's signing key. */
async function add(
  deps: OrganizationsDeps,
  body: z.output<typeof draft>,
): Promise<Result<z.output<typeof added>, AdminFailure>> {
  const wrong = wrongDomain(deps, body.domain);
  if (wrong !== undefined) return err(wrong);
  const at = deps.clock.now();
  const id = deps.newId();
  const currency = body.currency ?? 'USD';
  const wanted: NewOrganization & { readonly id: string } = {
    id,
    slug: slugOf(body.name, id),
    name: body.name,
    domain: body.domain,
    isPublic: false,
    timeZone: body.time_zone ?? 'UTC',
    currency,
    reportingCurrency: body.reporting_currency ?? currency,
    domainChallenge: newChallenge(deps),
  };
  const { enrolment, token, expiresAt } = adminOf(deps, id, at);
  const made = await deps.organizations.add(wanted, enrolment, at);
  if (made === undefined) return err(nameTaken);
  const { principal } = enrolment;
  // A key that cannot be made now is made at its first use.
  await deps.ownKeys.ensure({ organizationId: id }, principal.id);
  const admin = { principal_id: principal.id, name: principal.name, token, expires_at: isoOf(expiresAt) };
  return ok({ ...viewOf(made), admin });
}

const tokenDays = 90;

/** Has every permission, as the operator of a fresh installation (docs/protocol/signing.md#unsigned-changes). */
function adminOf({ newId, randomBytes }: OrganizationsDeps, organizationId: string, at: number) {
  const { text, hash } = tokenOfCell(randomBytes(32));
  const expiresAt = at + tokenDays * 24 * 3_600_000;
  const principalId = newId();
  const enrolment: Enrolment = {
    principal: {
      id: principalId,
      organizationId,
      name: 'admin',
      kind: 'person',
      permissions: allPermissions,
      transitional: true,
      legacy: true,
    },
    token: {
      id: newId(),
      principalId,
      scheme: 'bearer',
      hash,
      label: 'made with the organization',
      createdAt: at,
      expiresAt,
    },
  };
  return { enrolment, token: text, expiresAt };
}

async function set(
  deps: OrganizationsDeps,
  known: Organization,
  body: z.output<typeof change>,
): Promise<Result<View, AdminFailure>> {
  const { name, domain, time_zone: timeZone, currency, reporting_currency: reportingCurrency } = body;
  const { close_unreconciled: closesUnreconciled, four_eyes: eyes } = body;
  const isAnother = domain !== undefined && domain !== known.domain;
  const wrong = isAnother ? wrongDomain(deps, domain) : undefined;
  if (wrong !== undefined) return err(wrong);
  const after = await deps.organizations.change(known.id, {
    ...defined({ name, timeZone, currency, reportingCurrency, closesUnreconciled }),
    ...(eyes !== undefined && { fourEyes: eyes }),
    ...defined({ campaignRules: rulesAfter(known, body) }),
    ...(isAnother && { domain, domainChallenge: newChallenge(deps) }),
  });
  return after === undefined ? err(notFound) : ok(viewOf(after));
}

/** A step down of the rule of four eyes is a request of its own. */
async function setFourEyes(
  deps: OrganizationsDeps,
  caller: PrincipalCaller,
  {
    found,
    fourEyes,
    others,
  }: {
    readonly found: Organization;
    readonly fourEyes: FourEyes;
    readonly others: Omit<z.output<typeof change>, 'four_eyes'>;
  },
): Promise<Result<(View & { alone?: true }) | WaitsForApproval, AdminFailure>> {
  const hasOthers = Object.keys(others).length > 0;
  if (hasOthers && isStepDown(found.fourEyes ?? 'known', fourEyes))
    return err({
      code: 'INVALID_REQUEST',
      message: 'A weaker rule of four eyes is requested alone.',
      field: 'four_eyes',
      suggestion: 'Send the other members in a request of their own.',
    });
  const changed = hasOthers ? await set(deps, found, others) : undefined;
  if (changed?.ok === false) return changed;
  const taken = await takeControl(deps, caller, { kind: 'set_four_eyes', fourEyes });
  if ('answer' in taken) return taken.answer;
  const after = await deps.organizations.byId(found.id);
  return after === undefined ? err(notFound) : ok({ ...viewOf(after), ...aloneOf(taken) });
}

/** Weaker rules for campaigns are a request of their own. */
async function setRules(
  deps: OrganizationsDeps,
  caller: PrincipalCaller,
  {
    found,
    rules,
    body,
  }: {
    readonly found: Organization;
    readonly rules: CampaignRules;
    readonly body: z.output<typeof change>;
  },
): Promise<Result<(View & { alone?: true }) | WaitsForApproval, AdminFailure>> {
  const { above_budget: _above, outside_flight: _outside, ...others } = body;
  if (Object.keys(others).length > 0)
    return err({
      code: 'INVALID_REQUEST',
      message: 'A weaker rule for campaigns is requested without other members.',
      field: 'above_budget',
      suggestion: 'Send the other members in a request of their own.',
    });
  const taken = await takeControl(deps, caller, { kind: 'set_campaign_rules', rules });
  if ('answer' in taken) return taken.answer;
  const after = await deps.organizations.byId(found.id);
  return after === undefined ? err(notFound) : ok({ ...viewOf(after), ...aloneOf(taken) });
}

/** A stored proof stays valid when a later check finds none. */
async function prove(
  deps: OrganizationsDeps,
  found: Organization,
): Promise<Result<z.output<typeof checked>, AdminFailure>> {
  const known =
    found.domainChallenge === undefined
      ? await deps.organizations.change(found.id, { domainChallenge: newChallenge(deps) })
      : found;
  if (known === undefined) return err(notFound);
  const checks = await deps.checkDomain(known);
  const proof = checks.find(({ proves }) => proves);
  if (proof !== undefined && !(await deps.organizations.saveProof(known, proof.by, deps.clock.now())))
    return err(changedMeanwhile);
  const after = await deps.organizations.byId(known.id);
  if (after === undefined) return err(notFound);
  return ok({ ...viewOf(after), proved: proof !== undefined, checks: [...checks] });
}

const changedMeanwhile: AdminFailure = {
  code: 'CONFLICT',
  message: 'The domain of the organization has changed meanwhile.',
  recovery: 'transient',
};

const nameTaken: AdminFailure = {
  code: 'CONFLICT',
  message: 'An organization with this name already exists.',
  field: 'name',
  suggestion: 'Choose another name; it can be changed afterwards.',
};

function wrongDomain({ allowsLoopback }: OrganizationsDeps, domain: string): AdminFailure | undefined {
  if (isHostName(domain) || (allowsLoopback && isLoopbackName(domain))) return undefined;
  return {
    code: 'INVALID_REQUEST',
    message: 'The domain must be a host name like agency.example, without scheme, port or path.',
    field: 'domain',
  };
}

const newChallenge = ({ randomBytes }: OrganizationsDeps): string => randomBytes(24).toString('base64url');

/** Short, and unique on the installation. A name without Latin letters gets the id instead. */
function slugOf(name: string, id: string): string {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return words === '' ? id : words.slice(0, 63);
}

function viewOf(stored: Organization): View {
  return {
    organization_id: stored.id,
    name: stored.name,
    domain: stored.domain,
    time_zone: stored.timeZone,
    currency: stored.currency,
    reporting_currency: stored.reportingCurrency,
    close_unreconciled: stored.closesUnreconciled === true,
    four_eyes: stored.fourEyes ?? 'known',
    above_budget: rulesOf(stored).aboveBudget,
    outside_flight: rulesOf(stored).outsideFlight,
    ...(stored.domainProof !== undefined && { domain_proof: stored.domainProof }),
    ...(stored.domainProvedAt !== undefined && { domain_proved_at: isoOf(stored.domainProvedAt) }),
    ...(stored.domainChallenge !== undefined && { domain_challenge: stored.domainChallenge }),
    created_at: isoOf(stored.createdAt),
  };
}
