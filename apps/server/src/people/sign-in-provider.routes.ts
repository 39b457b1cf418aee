import type { Egress } from '@switchyard/sellers';
import {
  isHostName,
  isLoopbackName,
  type GrantDirectory,
  type GroupRole,
  type SignInProvider,
  type SignInProviders,
} from '@switchyard/tenancy';
import { err, ok, Secret, type Result } from '@switchyard/values';
import { destinationOf, type Vault } from '@switchyard/vault';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { aloneMember, aloneOf, takeControl, type ControlDeps } from '../platform/routes/control.js';
import { httpAddress, plainText } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import type { PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { draftGrant, grantRequest } from './grants.routes.js';
import { textOf } from './scope-text.js';
import { callbackOf } from './sign-in/organization-sign-in.js';
import { createUpstreamProvider, type UpstreamSettings } from './sign-in/upstream-provider.js';

export interface SignInProviderDeps extends ControlDeps {
  readonly providers: Pick<SignInProviders, 'of' | 'remove'>;
  readonly grants: GrantDirectory;
  readonly vault: Pick<Vault, 'put'>;
  readonly egress: Pick<Egress, 'checkUrl' | 'fetchLike'>;
  readonly baseUrl: () => string;
  readonly newId: () => string;
}

const groupRole = z.strictObject({
  group: z.string().min(1).max(512).describe('As the claim has it; compared exactly.'),
  ...grantRequest.shape,
});

const members = {
  issuer: httpAddress.describe('Exactly as in the `iss` of its tokens.'),
  client_id: z.string().regex(/^[\x21-\x7e]{1,512}$/, 'must be a client id'),
  name: plainText(80).trim().min(1).describe('What people call it.'),
  domains: z
    .array(
      z
        .string()
        .trim()
        .toLowerCase()
        .refine((text) => isHostName(text) || isLoopbackName(text), 'must be a host name'),
    )
    .min(1)
    .max(50)
    .describe('People with an address of one of these domains sign in, and nobody else.'),
  trust_email: z
    .boolean()
    .default(false)
    .describe('Whether an address counts as verified if the provider does not send `email_verified`.'),
  groups_claim: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be the name of a claim')
    .default('groups'),
  extra_scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,100}$/, 'must be a scope'))
    .max(10)
    .default([])
    .describe('Asked for beside `openid email`, for example `groups`.'),
  groups: z
    .array(groupRole)
    .max(200)
    .default([])
    .describe(
      'Roles by group. Each sign-in gives those of the groups that the person is in, and takes away those of groups that it has left.',
    ),
};

const provider = z.strictObject({
  issuer: z.string(),
  client_id: z.string(),
  has_secret: z.boolean(),
  name: z.string(),
  domains: z.array(z.string()),
  trust_email: z.boolean(),
  groups_claim: z.string(),
  extra_scopes: z.array(z.string()),
  groups: z.array(z.strictObject({ group: z.string(), role: z.string(), scope: z.string() })),
});

const addresses = {
  redirect_uri: z.string().describe('Register it at the provider, for the authorization code flow.'),
  sign_in_url: z.string().describe('Where the people of the organization begin.'),
};

const example = {
  issuer: 'https://agency.okta.example',
  client_id: '0oa1b2c3d4',
  has_secret: true,
  name: 'Okta',
  domains: ['agency.example'],
  trust_email: false,
  groups_claim: 'groups',
  extra_scopes: ['groups'],
  groups: [{ group: 'Traders', role: 'trader', scope: 'organization' }],
};
const exampleAddresses = {
  redirect_uri:
    'https://switchyard.agency.example/sign-in/oidc/callback/2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  sign_in_url:
    'https://switchyard.agency.example/sign-in/oidc?organization=2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
};

const route = routesOn<SignInProviderDeps>();

/** The OpenID Connect provider of one organization (docs/security/model.md#the-provider-of-an-organization). */
export const signInProviderRoutes = [
  route({
    method: 'get',
    path: '/v1/sign-in-provider',
    id: 'show_sign_in_provider',
    summary: 'The OpenID Connect provider that the people of the organization sign in with',
    needs: 'principals.read',
    isOfOrganization: true,
    answer: z.strictObject({ provider: provider.exactOptional(), ...addresses }),
    example: { provider: example, ...exampleAddresses },
    handle: async (deps, { caller }) => {
      const found = await deps.providers.of(caller);
      return ok({ ...(found && { provider: viewOf(found) }), ...addressesOf(deps, caller) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sign-in-provider',
    id: 'set_sign_in_provider',
    summary:
      'Set the OpenID Connect provider that the people of the organization sign in with, and the roles of its groups; another person approves it',
    needs: 'principals.write',
    isOfOrganization: true,
    byPerson: true,
    secretsTaken: ['client_secret'],
    body: z.strictObject({
      ...members,
      client_secret: z
        .string()
        .regex(/^[\x20-\x7e]{1,1024}$/, 'must be a secret of printable characters')
        .exactOptional()
        .describe('Absent: the one that is kept for this issuer and client, or none for a public client.'),
    }),
    bodyExample: {
      issuer: example.issuer,
      client_id: example.client_id,
      client_secret: 'what-the-provider-showed',
      name: example.name,
      domains: example.domains,
      groups: example.groups,
    },
    answer: z.strictObject({ provider, ...addresses, ...aloneMember }),
    mayWait: true,
    handle: async (deps, { caller, body }) => {
      const wanted = await providerOf(deps, caller, body);
      if (!wanted.ok) return wanted;
      const act = { kind: 'set_sign_in_provider', provider: wanted.value } as const;
      const taken = await takeControl(deps, caller, act);
      if ('answer' in taken) return taken.answer;
      return ok({ provider: viewOf(wanted.value), ...addressesOf(deps, caller), ...aloneOf(taken) });
    },
  }),
  route({
    method: 'delete',
    path: '/v1/sign-in-provider',
    id: 'remove_sign_in_provider',
    summary:
      'Let nobody sign in with the provider of the organization any more; sessions and roles that it gave stay until somebody ends them',
    needs: 'principals.delete',
    isOfOrganization: true,
    byPerson: true,
    answer: z.strictObject({ removed: z.literal(true) }),
    handle: async ({ providers }, { caller }) =>
      (await providers.remove(caller))
        ? ok({ removed: true as const })
        : err({ code: 'NOT_FOUND', message: 'The organization has no sign-in provider.' }),
  }),
];

type Body = Omit<z.output<typeof provider>, 'has_secret'> & { readonly client_secret?: string };

/** The provider as it will be stored: its roles are ones that the caller may give, and its secret is sealed. */
async function providerOf(
  deps: SignInProviderDeps,
  caller: PrincipalCaller,
  body: Body,
): Promise<Result<SignInProvider, AdminFailure>> {
  const judged = await deps.egress.checkUrl(body.issuer);
  if (!judged.ok) return err({ code: 'INVALID_REQUEST', message: judged.error.message, field: 'issuer' });
  const groups: GroupRole[] = [];
  for (const [at, { group, role, scope }] of body.groups.entries()) {
    const draft = await draftGrant(
      deps,
      caller,
      { principalId: caller.principalId, role, scope },
      `groups.${String(at)}.`,
    );
    if (!draft.ok) return draft;
    if (draft.value.scope.kind === 'own') return err(ownScope(at));
    groups.push({ group, role, scope: draft.value.scope });
  }
  const settings = {
    issuer: body.issuer,
    clientId: body.client_id,
    name: body.name,
    domains: [...new Set(body.domains)],
    trustsEmail: body.trust_email,
    groupsClaim: body.groups_claim,
    extraScopes: body.extra_scopes,
  };
  if (!(await isThere(deps, settings))) return err(noProvider);
  const secret = await secretOf(deps, caller, body);
  if (!secret.ok) return secret;
  return ok({ ...settings, ...(secret.value !== undefined && { credentialId: secret.value }), groups });
}

/** Whether a provider answers there, as a sign-in would ask it: otherwise nobody could sign in once it is approved. */
async function isThere(
  { egress, clock, baseUrl }: SignInProviderDeps,
  settings: UpstreamSettings,
): Promise<boolean> {
  const provider = createUpstreamProvider({ settings, egress, clock, onUnexpected: () => undefined });
  return (await provider.authorize({ state: '', nonce: '', verifier: '' }, baseUrl())).ok;
}

const noProvider: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'No OpenID Connect provider with this issuer answers at this address.',
  field: 'issuer',
  suggestion: 'Copy the issuer from the provider, letter by letter; its configuration is below /.well-known.',
};

/** The id of the sealed secret. */
async function secretOf(
  { providers, vault }: SignInProviderDeps,
  caller: PrincipalCaller,
  { issuer, client_id: clientId, client_secret: text }: Body,
): Promise<Result<string | undefined, AdminFailure>> {
  if (text === undefined) {
    const kept = await providers.of(caller);
    return ok(kept?.issuer === issuer && kept.clientId === clientId ? kept.credentialId : undefined);
  }
  const sealed = await vault.put(caller, {
    kind: 'sign_in_client',
    secret: new Secret(Buffer.from(text, 'utf8')),
    destination: destinationOf(issuer),
  });
  return sealed.ok
    ? ok(sealed.value.credentialId)
    : err({ code: 'UNAVAILABLE', message: 'The vault cannot be used now. Try again later.' });
}

const ownScope = (at: number): AdminFailure => ({
  code: 'INVALID_REQUEST',
  message: 'A group gives a role in the organization, a client, a brand or a campaign.',
  field: `groups.${String(at)}.scope`,
});

const addressesOf = (
  { baseUrl }: Pick<SignInProviderDeps, 'baseUrl'>,
  { organizationId }: PrincipalCaller,
) => ({
  redirect_uri: callbackOf(baseUrl(), organizationId),
  sign_in_url: `${baseUrl()}/sign-in/oidc?organization=${organizationId}`,
});

function viewOf(of: SignInProvider): z.output<typeof provider> {
  return {
    issuer: of.issuer,
    client_id: of.clientId,
    has_secret: of.credentialId !== undefined,
    name: of.name,
    domains: [...of.domains],
    trust_email: of.trustsEmail,
    groups_claim: of.groupsClaim,
    extra_scopes: [...of.extraScopes],
    groups: of.groups.map(({ group, role, scope }) => ({ group, role, scope: textOf(scope) })),
  };
}
