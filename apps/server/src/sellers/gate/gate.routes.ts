import type { ControlRequests } from '@switchyard/buys';
import { settingForms, slugPattern } from '@switchyard/protocol';
import {
  conformanceReport,
  type Connection,
  type NightlyRuns,
  type OnboardingRun,
  type StoredCheck,
} from '@switchyard/sellers';
import { defined, err, isoOf, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../../platform/failure.js';
import { httpAddress, instant, secretOf, sellerProtocol, tokenText } from '../../platform/routes/fields.js';
import { routesOn } from '../../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { accountRef, accountRequest } from '../seller-request.js';
import { addSeller, type SellersDeps } from '../sellers.routes.js';
import { certificateIn, certificateText } from './client-certificate.js';
import { addFoundSeller, type AddFoundDeps, type FoundSellerDraft } from './add-found-seller.js';
import { endSignIn } from '../oauth/end-sign-in.js';
import { checksView, checkView, gateState, type GateView } from './gate-view.js';

interface GateRouteDeps extends AddFoundDeps, Omit<SellersDeps, keyof AddFoundDeps> {
  readonly nightlyRuns: Pick<NightlyRuns, 'find'>;
  readonly controls: Pick<ControlRequests, 'take' | 'decide'>;
}

const addRequest = z
  .strictObject({
    input: z
      .string()
      .min(1)
      .max(2_048)
      .describe('A domain, or the address of an adagents.json, of a brand.json or of an agent.'),
    candidate: httpAddress.exactOptional().describe('The agent, if several were found.'),
    slug: z
      .string()
      .regex(slugPattern, 'must be 1 to 63 of a-z, 0-9 and -, not beginning with -')
      .exactOptional()
      .describe('Absent: made of the domain.'),
    protocol: sellerProtocol.exactOptional().describe('Absent: both are tried.'),
    dialect: z.enum(['ads', 'adcp']).exactOptional().describe('Absent: read from the names of its tasks.'),
    form: z.enum(settingForms).exactOptional(),
    token: tokenText.exactOptional(),
    token_scheme: z.enum(['bearer', 'basic']).exactOptional(),
    certificate: certificateText
      .exactOptional()
      .describe('Our client certificate there, as PEM: its chain, and its private key.'),
    oauth: z
      .literal(true)
      .exactOptional()
      .describe('Sign in at its authorization server yourself: the answer has authorize_url.'),
    client_id: z
      .string()
      .min(1)
      .max(1_024)
      .exactOptional()
      .describe('Our client at its authorization server.'),
    client_secret: z
      .string()
      .min(1)
      .max(8_192)
      .exactOptional()
      .describe('Of that client. Without oauth the client gets tokens in its own name.'),
    issuer: httpAddress
      .exactOptional()
      .describe('The authorization server that you trust with it, where that is not on its own site.'),
    account: accountRequest.exactOptional(),
    yes: z
      .literal(true)
      .exactOptional()
      .describe(
        'Ask nothing that a rule answers: of several accounts none is chosen where none is required. An agent that is connected already is connected once more.',
      ),
    jwks_uri: httpAddress.exactOptional(),
    brand_json_url: httpAddress.exactOptional(),
    legacy_webhooks: z.enum(['hmac-sha256', 'bearer']).exactOptional(),
    relay_signature: z.boolean().exactOptional(),
  })
  .refine((row) => row.token_scheme !== 'basic' || /^[^:]+:./s.test(row.token ?? ''), {
    error: 'must be NAME:PASSWORD',
    path: ['token'],
  })
  .refine(
    (row) => row.token === undefined || (row.oauth ?? row.client_id ?? row.client_secret) === undefined,
    {
      error: 'a token and a sign-in by OAuth exclude each other',
      path: ['token'],
    },
  )
  .refine((row) => row.certificate === undefined || (row.token ?? row.oauth ?? row.client_id) === undefined, {
    error: 'a certificate and another way to sign in exclude each other',
    path: ['certificate'],
  })
  .refine((row) => row.client_secret === undefined || row.client_id !== undefined, {
    error: 'is the secret of a client: name it',
    path: ['client_secret'],
  });

const gateAnswer = z.strictObject({
  slug: z.string(),
  state: gateState,
  is_own: z.boolean().exactOptional().describe('Whether you added it: then another person must approve it.'),
  checks: z.array(checkView),
  authorize_url: z
    .string()
    .exactOptional()
    .describe('Where the person who asked signs in at the seller, within ten minutes.'),
});

const nightlyAnswer = z
  .strictObject({
    at: instant,
    state: z
      .enum(['passed', 'failed', 'unanswered'])
      .describe('unanswered: it was not reached, which its health says; it is tried again.'),
    checks: z.array(checkView),
  })
  .describe('The checks of a live seller that ran by themselves last.');

const finding = z.strictObject({
  grade: z.enum(['blocks', 'limits', 'cosmetic']),
  task: z.string(),
  release: z.string(),
  sent: z.string(),
  came: z.string(),
  allowed: z.string(),
  cost: z.string(),
  mend: z.string(),
});

const example = {
  slug: 'acme',
  state: 'waiting',
  checks: [
    { key: 'address', state: 'passed', code: 'allowed', words: 'acme.example may be called.' },
    {
      key: 'approve',
      state: 'waiting',
      code: 'waits_for_person',
      words: 'Another person must approve it.',
      next: 'switchyard sellers approve acme',
    },
  ],
} as const;

const mostDrafts = 500;
const route = routesOn<GateRouteDeps>();

/** The gate: how a seller gets from a domain to live. */
export const gateRoutes = [
  route({
    method: 'post',
    path: '/v1/sellers/add',
    id: 'add_found_seller',
    summary: 'Add a seller from its domain or address: runs its checks, and goes on with those of a draft',
    needs: 'sellers.write',
    byPerson: true,
    body: addRequest,
    secretsTaken: ['token', 'client_secret', 'certificate', 'jwks_uri'],
    answer: gateAnswer,
    example,
    handle: async (deps, { caller, body }) => {
      const sealed = await certificateIn(deps, caller, body.certificate);
      if (!sealed.ok) return sealed;
      const draft = { ...draftOf(body), ...sealed.value };
      const known =
        draft.slug === undefined ? undefined : await deps.connections.bySlug(scopeOf(caller), draft.slug);
      const added =
        known !== undefined && throughTheGate.has(known.state)
          ? await changeKnown(deps, caller, known, draft)
          : await addFoundSeller(deps, caller, draft);
      return added.ok ? ok(viewOf(caller, added.value)) : added;
    },
  }),
  route({
    method: 'get',
    path: '/v1/sellers/drafts',
    id: 'list_drafts',
    summary: 'Sellers that the gate has not let through yet, by slug; the first 500',
    needs: 'sellers.read',
    answer: z.strictObject({
      drafts: z.array(
        z.strictObject({
          slug: z.string(),
          agent_url: z.string(),
          input: z.string().describe('What it was added from; `add` takes it again.'),
          state: gateState,
          next: z.string().exactOptional(),
          updated_at: instant,
        }),
      ),
    }),
    example: {
      drafts: [
        {
          slug: 'acme',
          agent_url: 'https://acme.example/mcp',
          input: 'acme.example',
          state: 'needs_person',
          next: 'Choose one: switchyard sellers add INPUT --slug acme --account ID',
          updated_at: '2026-11-21T12:00:00.000Z',
        },
      ],
    },
    handle: async ({ onboardingRuns }, { caller }) => {
      const drafts = await onboardingRuns.drafts(scopeOf(caller), mostDrafts);
      return ok({
        drafts: drafts.map(({ slug, agentUrl, run }) => ({
          slug,
          agent_url: agentUrl,
          input: run.input,
          state: run.state,
          ...defined({ next: run.checks.find(({ next }) => next !== undefined)?.next }),
          updated_at: isoOf(run.updatedAt),
        })),
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/sellers/{slug}/checks',
    id: 'seller_checks',
    summary:
      'The newest result of each check of a seller, from when it was added, and those of the last night',
    needs: 'sellers.read',
    answer: gateAnswer.extend({
      ran_at: instant
        .exactOptional()
        .describe('When the checks ran that let it in; absent: it came without them.'),
      nightly: nightlyAnswer.exactOptional(),
    }),
    example: {
      ...example,
      ran_at: '2026-11-21T12:00:00.000Z',
      nightly: {
        at: '2026-11-22T03:12:00.000Z',
        state: 'failed',
        checks: [
          {
            key: 'read.mcp',
            state: 'failed',
            code: 'not_conformant',
            words: 'None of its 3 products has what the release requires.',
            next: 'Send the report to the seller: switchyard sellers report acme. Then try again.',
          },
        ],
      },
    },
    handle: async (deps, { caller, params }) => {
      const found = await findRun(deps, caller, params.slug);
      if (!found.ok) return found;
      const { connection, run } = found.value;
      // One that was added without the gate has no results.
      const state = connection.state === 'failed' ? 'failed' : 'live';
      const nightly = await deps.nightlyRuns.find(scopeOf(caller), connection.id);
      return ok({
        ...viewOf(caller, { slug: params.slug, ...(run ?? { state, checks: [] }) }),
        ...(run !== undefined && { ran_at: isoOf(run.updatedAt) }),
        ...(nightly !== undefined && {
          nightly: {
            at: isoOf(nightly.at),
            state: nightly.state,
            checks: [...checksView(nightly.checks)],
          },
        }),
      });
    },
  }),
  route({
    method: 'get',
    path: '/v1/sellers/{slug}/report',
    id: 'seller_report',
    summary: 'What a seller should repair, in words that can be sent to it',
    needs: 'sellers.read',
    answer: z.strictObject({ seller: z.string(), findings: z.array(finding), markdown: z.string() }),
    example: {
      seller: 'acme',
      findings: [
        {
          grade: 'blocks',
          task: 'get_products',
          release: '3.1',
          sent: 'a brief',
          came: 'an answer without a list "products"',
          allowed: 'An answer with a list of products, each with the members that the release requires.',
          cost: 'We cannot show what it sells, so nobody can buy it.',
          mend: 'Answer with "products", as the release describes it.',
        },
      ],
      markdown: '# Connection test of acme',
    },
    handle: async (deps, { caller, params }) => {
      const found = await findRun(deps, caller, params.slug);
      if (!found.ok) return found;
      const { connection, run } = found.value;
      const { slug, agentUrl, form: release } = connection;
      const nightly = await deps.nightlyRuns.find(scopeOf(caller), connection.id);
      const isNewer =
        nightly !== undefined && nightly.state !== 'unanswered' && nightly.at > (run?.updatedAt ?? 0);
      const checks = isNewer ? withNightly(run?.checks ?? [], nightly.checks) : (run?.checks ?? []);
      return ok({ seller: slug, ...conformanceReport({ slug, agentUrl, release }, checks) });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/approve',
    id: 'approve_seller',
    summary: 'Let a seller go live that another person has added and that passed its checks',
    needs: 'sellers.approve',
    byPerson: true,
    answer: gateAnswer,
    example: { ...example, state: 'live' },
    handle: (deps, { caller, params }) => approve(deps, caller, params.slug),
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/discard',
    id: 'discard_seller',
    summary: 'Delete a draft of a seller with its credentials',
    needs: 'sellers.write',
    byPerson: true,
    answer: z.strictObject({ slug: z.string(), discarded: z.literal(true) }),
    example: { slug: 'acme', discarded: true },
    handle: async (deps, { caller, params }) => {
      const scope = scopeOf(caller);
      const connection = await deps.connections.bySlug(scope, params.slug);
      if (connection === undefined) return err(notFound);
      if (connection.state !== 'draft') return err(noDraft(params.slug));
      const { id, credentialId, keyCredentialId, webhookCredentialId } = connection;
      for (const one of [credentialId, keyCredentialId, webhookCredentialId])
        if (one !== undefined && !(await deps.vault.revoke(scope, one)).ok)
          return err({ code: 'UNAVAILABLE', message: 'The vault is not writable at the moment.' });
      await deps.transport.forget(id);
      await endSignIn(deps.signIns, scope, connection);
      if (!(await deps.onboardingRuns.discard(scope, id))) return err(noDraft(params.slug));
      return ok({ slug: params.slug, discarded: true as const });
    },
  }),
];

function draftOf(body: z.output<typeof addRequest>): FoundSellerDraft {
  const { token, token_scheme: tokenScheme, account, input, candidate, slug, protocol, dialect, form } = body;
  return {
    input,
    ...defined({ candidate, slug, protocol, dialect, form, tokenScheme }),
    ...(token === undefined ? {} : { token: secretOf(token) }),
    ...(account === undefined ? {} : { account: accountRef(account) }),
    ...(body.yes === true && { goesByRule: true, mayRepeat: true }),
    ...defined({
      jwksUri: body.jwks_uri,
      brandJsonUrl: body.brand_json_url,
      legacyWebhooks: body.legacy_webhooks,
      wantsRelaySignature: body.relay_signature,
    }),
    signIn: {
      ...(body.oauth === true && { consents: true as const }),
      ...(body.client_secret !== undefined && { clientSecret: secretOf(body.client_secret) }),
      ...defined({ clientId: body.client_id, issuer: body.issuer }),
    },
  };
}

/** Each check with its newest result: what runs at night replaces what was found when the seller was added. */
const withNightly = (
  added: readonly StoredCheck[],
  nightly: readonly StoredCheck[],
): readonly StoredCheck[] => {
  const newer = new Map(nightly.map((check) => [check.key, check]));
  return added.length === 0 ? nightly : added.map((check) => newer.get(check.key) ?? check);
};

/** A seller in one of these states has been live: it is changed and not brought in. */
const throughTheGate: ReadonlySet<string> = new Set<Connection['state']>(['live', 'suspended', 'disabled']);

async function changeKnown(
  deps: GateRouteDeps,
  caller: PrincipalCaller,
  known: Connection,
  { input, candidate, signIn, goesByRule: _, mayRepeat: _again, slug: _same, ...draft }: FoundSellerDraft,
): Promise<Result<GateView, AdminFailure>> {
  const { slug, protocol, dialect, state } = known;
  const { consents: _asked, ...secrets } = signIn ?? {};
  const bringsNothing = Object.keys({ ...draft, ...secrets }).length === 0;
  const before = await deps.onboardingRuns.find(scopeOf(caller), known.id);
  const isSame =
    candidate === undefined
      ? input === known.agentUrl || input === before?.input
      : candidate === known.agentUrl;
  // Whoever goes on with a seller that went live meanwhile is told so.
  if (state === 'live' && isSame && bringsNothing) return ok({ slug, state, checks: before?.checks ?? [] });
  const changed = await addSeller(deps, caller, {
    protocol,
    dialect,
    ...draft,
    slug,
    agentUrl: candidate ?? input,
  });
  if (!changed.ok) return changed;
  const run = await deps.onboardingRuns.find(scopeOf(caller), known.id);
  return ok({ slug, state: changed.value.state === 'live' ? 'live' : 'failed', checks: run?.checks ?? [] });
}

const noDraft = (slug: string): AdminFailure => ({
  code: 'CONFLICT',
  message: `${slug} is no draft.`,
  field: 'slug',
});

const viewOf = (
  { principalId }: PrincipalCaller,
  { slug, state, startedBy, checks, authorizeUrl }: GateView,
) => ({
  slug,
  state,
  ...(startedBy !== undefined && { is_own: startedBy === principalId }),
  checks: [...checksView(checks)],
  ...(authorizeUrl !== undefined && { authorize_url: authorizeUrl }),
});

async function findRun(
  { connections, onboardingRuns }: Pick<GateRouteDeps, 'connections' | 'onboardingRuns'>,
  caller: PrincipalCaller,
  slug: string,
): Promise<
  Result<{ readonly connection: Connection; readonly run: OnboardingRun | undefined }, AdminFailure>
> {
  const scope = scopeOf(caller);
  const connection = await connections.bySlug(scope, slug);
  if (connection === undefined) return err(notFound);
  return ok({ connection, run: await onboardingRuns.find(scope, connection.id) });
}

const notFound: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no seller with this slug.',
  field: 'slug',
};

async function approve(
  deps: GateRouteDeps,
  caller: PrincipalCaller,
  slug: string,
): Promise<Result<z.output<typeof gateAnswer>, AdminFailure>> {
  const found = await findRun(deps, caller, slug);
  if (!found.ok) return found;
  const { approvalId, state } = found.value.run ?? {};
  if (approvalId === undefined || state !== 'waiting')
    return err({ code: 'CONFLICT', message: `${slug} does not wait for an approval.`, field: 'slug' });
  const decided = await deps.controls.decide(scopeOf(caller), approvalId, {
    state: 'approved',
    by: caller.principalId,
    at: deps.clock.now(),
  });
  if (decided.kind === 'own_request')
    return err({
      code: 'INSUFFICIENT_PERMISSIONS',
      message:
        'Whoever added it, and whoever can act as that person, cannot approve it: another person must.',
    });
  if (decided.kind !== 'decided')
    return err({
      code: 'CONFLICT',
      message:
        decided.kind === 'failed' ? decided.message : 'It is already decided, or the request has expired.',
      suggestion: `Run its checks again: switchyard sellers add INPUT --slug ${slug}`,
    });
  const after = await findRun(deps, caller, slug);
  return after.ok && after.value.run !== undefined
    ? ok(viewOf(caller, { slug, ...after.value.run }))
    : err(notFound);
}
