import { quotaFailure, type Quotas } from '../platform/caller/quotas.js';
import type { SetUpLists } from '@switchyard/store';
import { reportModeOf, type Connection, type ConnectionDirectory } from '@switchyard/sellers';
import { authorize } from '@switchyard/tenancy';
import { defined, err, isoOf, ok, type Instant, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure, SellerDraft } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import { onboardSeller, type OnboardingDeps } from './onboarding/onboard-seller.js';
import { instant, sellerProtocol } from '../platform/routes/fields.js';
import { namedKey, namedSortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { importedSeller, importSellers, sellerImport, slugTwice, type ImportDeps } from './import-sellers.js';
import { draftOf, sellerRequest } from './seller-request.js';
import { routesOn, type Immutable } from '../platform/routes/route.js';
import { figures, figuresOf, type SellerFiguresDeps } from './seller-figures.js';

export interface SellersDeps extends ImportDeps, OnboardingDeps, SellerFiguresDeps {
  readonly isSandboxUrl: (agentUrl: string) => boolean;
  readonly jobStarter: JobStarter;
  readonly quotas?: Pick<Quotas, 'roomFor'>;
  readonly connections: ConnectionDirectory;
  readonly setUp: Pick<SetUpLists, 'sellers' | 'sellerCounts'>;
  readonly version: string;
  readonly startedAt: Instant;
}

export const seller = z.strictObject({
  slug: z.string(),
  name: z.string(),
  agent_url: z.string(),
  protocol: sellerProtocol,
  dialect: z.enum(['ads', 'adcp']),
  form: z.string(),
  kinds: z.array(z.string()),
  state: z.string(),
  reason: z.string().exactOptional().describe('Why it is not live.'),
  breaker: z.enum(['closed', 'open', 'half_open']).exactOptional(),
  credential_id: z.string().exactOptional(),
  credential_fault: z
    .enum(['refused', 'revoked'])
    .exactOptional()
    .describe('What is wrong with its credential: the seller refused it last, or it was revoked.'),
  legacy_webhooks: z.enum(['hmac-sha256', 'bearer']).exactOptional(),
  report_webhooks: z
    .string()
    .exactOptional()
    .describe(
      'How its delivery reports are requested: as an admin set it, as it declares, or as its refusal showed.',
    ),
  relay_signature: z.literal(true).exactOptional(),
  is_sandbox: z.boolean().exactOptional(),
  draining: z.literal(true).exactOptional().describe('It is removed after its last buy ends.'),
});
type SellerView = Immutable<z.output<typeof seller>>;

const example = {
  slug: 'acme',
  name: 'Acme',
  agent_url: 'https://acme.example/mcp',
  protocol: 'mcp',
  dialect: 'ads',
  form: 'auto',
  kinds: ['sales'],
  state: 'live',
} as const;

/** The most sellers of a page with figures: each is read from thousands of rows. */
const mostWithFigures = 100;

const route = routesOn<SellersDeps>();

/** Sellers, and how many of them are live. */
export const sellerRoutes = [
  route({
    method: 'get',
    path: '/v1/instance',
    id: 'instance',
    summary: 'What is running here',
    needs: 'sellers.read',
    answer: z.strictObject({
      version: z.string(),
      started_at: instant,
      sellers_live: z.int().describe('How many are live, answer, and accept our credential.'),
      sellers: z.int().describe('How many there are.'),
    }),
    example: { version: '0.1.0', started_at: '2026-11-21T12:00:00.000Z', sellers_live: 5, sellers: 6 },
    handle: async ({ setUp, version, startedAt }, { caller }) => {
      const { all, failing } = await setUp.sellerCounts(scopeOf(caller));
      return ok({ version, started_at: isoOf(startedAt), sellers: all, sellers_live: all - failing });
    },
  }),
  route({
    method: 'get',
    path: '/v1/sellers',
    id: 'list_sellers',
    summary: 'Sellers and their state, by slug',
    needs: 'sellers.read',
    query: z.strictObject({
      state: z.enum(['onboarding', 'live', 'failed', 'disabled', 'suspended']).exactOptional(),
      kind: z
        .string()
        .min(1)
        .max(63)
        .exactOptional()
        .describe('What it sells, for example sales or signals.'),
      failing: z
        .enum(['true', 'false'])
        .exactOptional()
        .describe(
          'true: those that are not live, do not answer, refuse our credential, or are stopped; false: the others.',
        ),
      figures: z
        .literal('yes')
        .exactOptional()
        .describe(
          'yes: how each did in the last 30 days, as in GET /v1/sellers/{slug}; at most 100 sellers a page.',
        ),
      ...namedSortQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({
      sellers: z.array(seller.extend({ figures: figures.exactOptional() })),
      next_cursor: nextCursor,
    }),
    example: { sellers: [example] },
    handle: async (deps, { caller, query }) => {
      // Figures are no filter: a cursor of the list leads on with them and without.
      const { figures: wanted, ...filters } = query;
      const { state, kind, failing, sort } = filters;
      if (wanted !== undefined && (filters.limit ?? 0) > mostWithFigures)
        return err({
          code: 'INVALID_REQUEST',
          message: `A page with figures has at most ${mostWithFigures} sellers.`,
          field: 'limit',
        });
      const filter = {
        ...defined({ state, kind }),
        ...(failing !== undefined && { isFailing: failing === 'true' }),
        ...(sort !== undefined && { sort }),
      };
      const page = await listPage(
        {
          id: 'list_sellers',
          caller,
          query: { limit: wanted === undefined ? 500 : mostWithFigures, ...filters },
        },
        (read) => deps.setUp.sellers(scopeOf(caller), { ...filter, ...read }),
        ({ connection, createdAt }) => namedKey(sort, connection.slug, createdAt, connection.id),
      );
      if (!page.ok) return page;
      const { rows, next } = page.value;
      const ids = rows.map(({ connection }) => connection.id);
      const read = wanted === undefined ? undefined : await figuresOf(deps, scopeOf(caller), ids, caller);
      const sellers = rows.map(({ connection, ...health }) => {
        const own = read?.get(connection.id);
        return { ...viewOf(connection, health), ...(own !== undefined && { figures: own }) };
      });
      return ok({ sellers, ...next });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers',
    id: 'add_seller',
    summary: 'Add a seller by its address: runs its checks, and answers with what has become of it',
    needs: 'sellers.write',
    byPerson: true,
    body: sellerRequest,
    secretsTaken: ['jwks_uri'],
    answer: seller,
    example,
    handle: (deps, { caller, body }) => addSeller(deps, caller, draftOf(body)),
  }),
  route({
    method: 'post',
    path: '/v1/sellers/import',
    id: 'import_sellers',
    summary:
      'Add many sellers by their addresses: answers once the checks of each have ended, or at once with a job that does it',
    needs: 'sellers.write',
    byPerson: true,
    mayStartJob: true,
    query: z.strictObject({
      respond: z.literal('async').exactOptional().describe('async: answer 202 with a job, which does it.'),
    }),
    body: z.array(sellerRequest).min(1).max(10_000),
    secretsTaken: ['[].jwks_uri'],
    answer: z.strictObject({ sellers: z.array(importedSeller) }),
    example: { sellers: [{ slug: 'acme', state: 'live' }] },
    handle: async (deps, { caller, query, body }) => {
      if (query.respond === 'async') {
        const refused = slugTwice(body);
        return refused
          ? err(refused)
          : deps.jobStarter.start(sellerImport, caller, { input: {}, items: body });
      }
      const imported = await importSellers(deps, caller, body.map(draftOf));
      return imported.ok ? ok({ sellers: imported.value }) : imported;
    },
  }),
];

export async function listSellers(
  { connections }: Pick<SellersDeps, 'connections'>,
  caller: PrincipalCaller,
): Promise<readonly SellerView[]> {
  const scope = scopeOf(caller);
  const [all, health] = await Promise.all([connections.list(scope), connections.health(scope)]);
  const breakers = new Map(health.map((row) => [row.connectionId, row.breaker]));
  // A removed seller is shown only by its slug, for references in history.
  const there = all.filter(({ state }) => state !== 'removed');
  return there.map((connection) => {
    const breaker = breakers.get(connection.id);
    return viewOf(connection, breaker && { breaker });
  });
}

export async function addSeller(
  deps: SellersDeps,
  caller: PrincipalCaller,
  draft: SellerDraft,
): Promise<Result<SellerView, AdminFailure>> {
  const known = await deps.connections.bySlug(scopeOf(caller), draft.slug);
  if (known?.state !== 'live') {
    const full = known === undefined ? await deps.quotas?.roomFor(scopeOf(caller), 'sellers', 1) : undefined;
    if (full !== undefined) return err(quotaFailure(full));
    const admitted = await deps.admit(caller, draft);
    if (!admitted.ok) return admitted;
    const { connection, state, reason } = admitted.value;
    const view = viewOf(connection);
    return ok(state === 'live' ? view : { ...view, state, ...defined({ reason }) });
  }
  const changed = webhookModeChange(caller, known, draft);
  if (!changed.ok) return changed;
  const added = await onboardSeller(deps, caller, changed.value, deps.isSandboxUrl(draft.agentUrl));
  return added.ok ? ok(viewOf(added.value)) : added;
}

/**
 * Adding a live seller again changes one thing: the mode of its webhooks. The mode decides how a seller proves what it
 * sends, so it needs the permission to approve. Everything else stays unchanged.
 */
function webhookModeChange(
  caller: PrincipalCaller,
  known: Connection,
  draft: SellerDraft,
): Result<SellerDraft, AdminFailure> {
  const { legacyWebhooks, account, jwksUri, brandJsonUrl, form, wantsRelaySignature } = draft;
  const isSame =
    known.agentUrl === draft.agentUrl && known.protocol === draft.protocol && known.dialect === draft.dialect;
  const others = [account, jwksUri, brandJsonUrl, form, wantsRelaySignature];
  if (legacyWebhooks === undefined || !isSame || others.some((other) => other !== undefined)) {
    return err({
      code: 'CONFLICT',
      message: `There is a live seller called ${draft.slug}.`,
      field: 'slug',
      suggestion:
        'To change the mode of its webhooks, send its address, protocol and dialect as they are, and the mode. Edit it to change anything else.',
    });
  }
  const allowed = authorize(caller, { access: 'credentials', area: 'sellers', permission: 'approve' });
  if (!allowed.ok) return err({ code: 'INSUFFICIENT_PERMISSIONS', message: allowed.error.message });
  return ok({
    ...draft,
    form: known.configuredForm,
    ...(known.account === undefined ? {} : { account: known.account }),
    ...(known.pinnedJwksUri === undefined ? {} : { jwksUri: known.pinnedJwksUri }),
    ...(known.pinnedBrandJsonUrl === undefined ? {} : { brandJsonUrl: known.pinnedBrandJsonUrl }),
    wantsRelaySignature: known.wantsRelaySignature === true,
  });
}

interface Health {
  readonly breaker?: NonNullable<SellerView['breaker']>;
  readonly credentialFault?: NonNullable<SellerView['credential_fault']>;
}

export function viewOf(connection: Connection, { breaker, credentialFault }: Health = {}): SellerView {
  return {
    slug: connection.slug,
    name: connection.name,
    agent_url: connection.agentUrl,
    protocol: connection.protocol,
    dialect: connection.dialect,
    form: connection.form,
    kinds: connection.kinds,
    state: connection.state,
    is_sandbox: connection.isSandbox,
    ...(connection.stateReason === undefined ? {} : { reason: connection.stateReason }),
    ...(connection.drainingSince === undefined ? {} : { draining: true as const }),
    ...(breaker === undefined ? {} : { breaker }),
    ...(credentialFault === undefined ? {} : { credential_fault: credentialFault }),
    ...(connection.credentialId === undefined ? {} : { credential_id: connection.credentialId }),
    ...(connection.wantsRelaySignature === true ? { relay_signature: true as const } : {}),
    ...(connection.legacyWebhooks === false ? {} : { legacy_webhooks: connection.legacyWebhooks }),
    ...(connection.kinds.includes('sales') ? { report_webhooks: reportModeOf(connection) } : {}),
  };
}
