import { settingForms } from '@switchyard/protocol';
import { nightlyState, type Connection, type SellerAccounts } from '@switchyard/sellers';
import type {
  CapabilityVersions,
  GovernanceCases,
  LiveBuys,
  SellerLife,
  SetUpLists,
} from '@switchyard/store';
import type { AlarmRepository } from '@switchyard/tenancy';
import { err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure, SellerDraft } from '../platform/failure.js';
import { withJobs } from '../platform/jobs/request-job.js';
import type { JobStarter } from '../platform/jobs/start-job.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { probe } from './onboarding/onboard-seller.js';
import type { AdmitSeller } from './gate/admit-seller.js';
import { checksView, checkView } from './gate/gate-view.js';
import { checksAlarm, checksPass } from './gate/nightly-checks.js';
import { testGate, type GateDeps } from './gate/run-gate.js';
import { removeSeller } from './remove-seller.js';
import { driftAlarm } from './refresh-capabilities.js';
import { testSeller } from './onboarding/test-seller.js';
import { credentialView, viewOf as credentialViewOf } from './credentials.routes.js';
import type { CredentialsDeps } from './credentials.routes.js';
import {
  httpAddress,
  noReason,
  reasonText,
  secretOf,
  sellerProtocol,
  tokenText,
} from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';
import { capabilityChange, driftNow, driftOf, driftView } from './seller-drift.js';
import { figures, figuresOf } from './seller-figures.js';
import { accountRef, accountRequest } from './seller-request.js';
import { seller, viewOf } from './sellers.routes.js';

interface SellerLifeDeps extends GateDeps, Pick<CredentialsDeps, 'vault'> {
  readonly jobStarter: JobStarter;
  readonly vault: CredentialsDeps['vault'];
  readonly life: SellerLife;
  readonly sellerAccounts: SellerAccounts;
  readonly setUp: Pick<SetUpLists, 'sellers'>;
  readonly admit: AdmitSeller;
  readonly capabilityVersions: CapabilityVersions;
  readonly alarms: Pick<AlarmRepository, 'raise' | 'end'>;
  readonly governance: Pick<GovernanceCases, 'addressOf'>;
  /** Our public address, without a trailing slash. */
  readonly baseUrl: () => string;
}

const liveBuys = z
  .strictObject({
    count: z.int(),
    media_buy_ids: z.array(z.string()).describe('The first ten.'),
  })
  .describe('What runs at the seller and goes on.');

const sellerWithBuys = seller.extend({ live_buys: liveBuys });

const step = z.strictObject({
  step: z.enum(['address', 'credential', 'transport', 'authentication', 'capabilities', 'webhooks']),
  result: z.enum(['held', 'failed', 'not_tried']),
  code: z.string().exactOptional(),
  reason: z.string().exactOptional(),
});

const edit = z
  .strictObject({
    name: z.string().min(1).max(200).exactOptional(),
    agent_url: httpAddress.exactOptional(),
    protocol: sellerProtocol.exactOptional(),
    dialect: z.enum(['ads', 'adcp']).exactOptional(),
    form: z.enum(settingForms).exactOptional(),
    account: accountRequest.nullable().exactOptional().describe('null: none is named to it any more.'),
    token: tokenText
      .exactOptional()
      .describe('Needed with an agent_url at another origin: a secret never follows there.'),
    token_scheme: z.enum(['bearer', 'basic']).exactOptional(),
  })
  .refine((row) => Object.keys(row).length > 0, 'must change something');

const example = {
  slug: 'acme',
  name: 'Acme',
  agent_url: 'https://acme.example/mcp',
  protocol: 'mcp',
  dialect: 'ads',
  form: 'auto',
  kinds: ['sales'],
  state: 'suspended',
  reason: 'It books twice.',
} as const;
const exampleBuys = { count: 1, media_buy_ids: ['mb_311e5ca0-845f-4765'] };

const exampleDrift = {
  asks: true,
  versions: [
    {
      version: 2,
      read_at: '2026-11-21T12:00:00.000Z',
      asks: true,
      changes: [{ grade: 'breaking', words: 'It no longer speaks release 3.1' }],
    },
  ],
} as const;

const route = routesOn<SellerLifeDeps>();

/** Changes of a seller after it was added. */
export const sellerLifeRoutes = withJobs([
  route({
    method: 'get',
    path: '/v1/sellers/{slug}',
    id: 'show_seller',
    summary: 'One seller, also a removed one, with its credential and live buys',
    needs: 'sellers.read',
    answer: sellerWithBuys.extend({
      credential: credentialView.exactOptional(),
      figures,
      drift: driftView,
      events_url: z
        .url()
        .exactOptional()
        .describe('Our address for the signed events of an agent that decides: give it to that agent.'),
    }),
    example: {
      ...example,
      live_buys: exampleBuys,
      figures: {
        since: '2026-10-22T12:00:00.000Z',
        calls: 12,
        failed: 1,
        median_ms: 240,
        slowest_ms: 900,
        days: [],
        events: { applied: 31 },
        reported_after: { median_minutes: 185, worst_minutes: 1620 },
        restated: { days: 2, net: [{ currency: 'USD', amount: '-12.4' }] },
        running: 1,
        delivered: [{ currency: 'USD', amount: '118400' }],
      },
      drift: exampleDrift,
    },
    handle: async (deps, { caller, params }) => {
      const found = await find(deps, caller, params.slug, { removed: true });
      if (!found.ok) return found;
      const scope = scopeOf(caller);
      const [health] = await deps.setUp.sellers(scope, { slug: params.slug, limit: 1 });
      const [view, listed] = [
        await withBuys(deps, caller, found.value, health),
        await deps.vault.list(scope),
      ];
      const { id } = found.value;
      const read = (await figuresOf(deps, scope, [id], caller)).get(id);
      if (read === undefined) return err(notFound);
      const held = listed.ok
        ? listed.value.findLast(
            ({ credentialId, state }) => credentialId === found.value.credentialId && state === 'current',
          )
        : undefined;
      return ok({
        ...view,
        figures: read,
        drift: await driftOf(deps.capabilityVersions, scope, id),
        ...(await eventsUrl(deps, caller, found.value)),
        ...(held === undefined ? {} : { credential: credentialViewOf(held, deps.clock.now()) }),
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/test',
    id: 'test_seller',
    summary:
      'Test the connection to a seller, step by step, and say what changed in its capabilities; changes nothing',
    needs: 'sellers.write',
    answer: z.strictObject({
      slug: z.string(),
      ok: z.boolean(),
      steps: z.array(step),
      checks: z
        .array(checkView)
        .describe('Where each step held: the checks of the gate, up to a read of what it offers.'),
      drift: z.array(capabilityChange).describe('What differs now from its stored capabilities.'),
    }),
    example: {
      slug: 'acme',
      ok: true,
      steps: [{ step: 'transport', result: 'held' }],
      checks: [
        { key: 'read.mcp', state: 'passed', code: 'offers', words: 'It offers 4 products that can be used.' },
      ],
      drift: [],
    },
    asJob: { title: 'Test of a seller', waitsFor: 'sellers' },
    handle: async (deps, { caller, params }) => {
      const found = await find(deps, caller, params.slug);
      if (!found.ok) return found;
      const scope = scopeOf(caller);
      const steps = await testSeller(deps, scope, found.value);
      const drift = await driftNow(deps, scope, found.value);
      const broken = drift.filter(({ grade }) => grade === 'breaking');
      if (broken.length > 0)
        await deps.alarms.raise(
          scope,
          driftAlarm(
            found.value,
            broken.map(({ words }) => words),
          ),
        );
      const holds = steps.every(({ result }) => result === 'held');
      const { checks } = holds ? await testGate(deps, scope, found.value) : { checks: [] };
      const isWell = holds && nightlyState(checks) === 'passed';
      if (isWell) await deps.alarms.end(scope, checksAlarm(found.value, []), checksPass);
      return ok({
        slug: params.slug,
        ok: isWell,
        steps,
        checks: [...checksView(checks)],
        drift,
      });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/accept-changes',
    id: 'accept_seller_changes',
    summary: 'Accept the breaking changes of a seller, so that new buys at it ask for no approval any more',
    needs: 'sellers.approve',
    byPerson: true,
    body: z.strictObject({ reason: reasonText }),
    answer: z.strictObject({ slug: z.string(), accepted: z.int().describe('Versions with such changes.') }),
    example: { slug: 'acme', accepted: 1 },
    handle: async (deps, { caller, params }) => {
      const found = await find(deps, caller, params.slug);
      if (!found.ok) return found;
      const { id, slug } = found.value;
      const at = deps.clock.now();
      const accepted = await deps.capabilityVersions.accept(scopeOf(caller), id, caller.principalId, at);
      return accepted > 0
        ? ok({ slug, accepted })
        : err<AdminFailure>({ code: 'CONFLICT', message: `No change of ${slug} waits to be accepted.` });
    },
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/edit',
    id: 'edit_seller',
    summary:
      'Change a seller, and read its capabilities again; at another address it goes through the gate again',
    needs: 'sellers.write',
    byPerson: true,
    body: edit,
    secretsTaken: ['token'],
    answer: seller,
    example: { ...example, state: 'live' },
    handle: (deps, { caller, params, body }) => change(deps, caller, params.slug, body),
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/suspend',
    id: 'suspend_seller',
    summary: 'Suspend a seller: it gets no new requests; live buys continue',
    needs: 'sellers.write',
    body: z.strictObject({ reason: reasonText.exactOptional() }),
    answer: sellerWithBuys,
    example: { ...example, live_buys: exampleBuys },
    handle: (deps, { caller, params, body }) => suspend(deps, caller, params.slug, body.reason ?? noReason),
  }),
  route({
    method: 'post',
    path: '/v1/sellers/{slug}/resume',
    id: 'resume_seller',
    summary: 'Resume a suspended seller, after a check',
    needs: 'sellers.write',
    byPerson: true,
    answer: seller,
    example: { ...example, state: 'live' },
    handle: (deps, { caller, params }) => resume(deps, caller, params.slug),
  }),
  route({
    method: 'delete',
    path: '/v1/sellers/{slug}',
    id: 'remove_seller',
    summary: 'Remove a seller; with drain=true once its last buy is over',
    needs: 'sellers.delete',
    query: z.strictObject({ drain: z.enum(['true', 'false']).exactOptional() }),
    answer: sellerWithBuys,
    example: { ...example, draining: true, live_buys: exampleBuys },
    handle: (deps, { caller, params, query }) => remove(deps, caller, params.slug, query.drain === 'true'),
  }),
]);

const notFound: AdminFailure = {
  code: 'NOT_FOUND',
  message: 'There is no seller with this slug.',
  field: 'slug',
};

async function find(
  { connections }: Pick<SellerLifeDeps, 'connections'>,
  caller: PrincipalCaller,
  slug: string,
  { removed = false } = {},
): Promise<Result<Connection, AdminFailure>> {
  const found = await connections.bySlug(scopeOf(caller), slug);
  return found === undefined || (found.state === 'removed' && !removed) ? err(notFound) : ok(found);
}

async function withBuys(
  deps: Pick<SellerLifeDeps, 'life'>,
  caller: PrincipalCaller,
  connection: Connection,
  health?: Parameters<typeof viewOf>[1],
) {
  const running = await deps.life.liveBuys(scopeOf(caller), connection.id);
  return { ...viewOf(connection, health), live_buys: { count: running.count, media_buy_ids: running.ids } };
}

async function change(
  deps: SellerLifeDeps,
  caller: PrincipalCaller,
  slug: string,
  body: z.output<typeof edit>,
) {
  const found = await find(deps, caller, slug);
  if (!found.ok) return found;
  const { name } = body;
  const known = found.value;
  if (Object.keys(body).some((member) => member !== 'name')) {
    const draft = draftOf(known, body);
    // Another address may be another agent: it goes through the checks of the gate.
    const changed = await deps.admit(caller, draft);
    if (!changed.ok) return changed;
  }
  if (name !== undefined)
    await deps.connections.update(scopeOf(caller), known.id, { name }, deps.clock.now());
  const after = await find(deps, caller, slug);
  return after.ok ? ok(viewOf(after.value)) : after;
}

/** The known seller with the requested changes: members that are absent stay. */
function draftOf(known: Connection, body: z.output<typeof edit>): SellerDraft {
  const account =
    body.account === undefined ? known.account : body.account === null ? undefined : accountRef(body.account);
  return {
    slug: known.slug,
    agentUrl: body.agent_url ?? known.agentUrl,
    protocol: body.protocol ?? known.protocol,
    dialect: body.dialect ?? known.dialect,
    form: body.form ?? known.configuredForm,
    wantsRelaySignature: known.wantsRelaySignature === true,
    ...(body.token === undefined ? {} : { token: secretOf(body.token) }),
    ...(body.token_scheme === undefined ? {} : { tokenScheme: body.token_scheme }),
    ...(account === undefined ? {} : { account }),
    ...(known.legacyWebhooks === false ? {} : { legacyWebhooks: known.legacyWebhooks }),
    ...(known.pinnedJwksUri === undefined ? {} : { jwksUri: known.pinnedJwksUri }),
    ...(known.pinnedBrandJsonUrl === undefined ? {} : { brandJsonUrl: known.pinnedBrandJsonUrl }),
  };
}

async function suspend(deps: SellerLifeDeps, caller: PrincipalCaller, slug: string, reason: string) {
  const found = await find(deps, caller, slug);
  if (!found.ok) return found;
  const scope = scopeOf(caller);
  const why = { reason, drains: false };
  if (!(await deps.life.suspend(scope, found.value.id, why, deps.clock.now()))) return err(notFound);
  const after = await find(deps, caller, slug);
  return after.ok ? ok(await withBuys(deps, caller, after.value)) : after;
}

async function resume(deps: SellerLifeDeps, caller: PrincipalCaller, slug: string) {
  const found = await find(deps, caller, slug);
  if (!found.ok) return found;
  const scope = scopeOf(caller);
  if (!(await deps.life.resume(scope, found.value.id, deps.clock.now())))
    return err<AdminFailure>({
      code: 'CONFLICT',
      message: `The seller ${slug} is not suspended.`,
      field: 'slug',
    });
  const back = await deps.connections.byId(scope, found.value.id);
  if (back !== undefined && back.state !== 'disabled') await probe(deps, scope, found.value.id);
  await holdBackGarbage(deps, caller, found.value.id);
  const after = await find(deps, caller, slug);
  return after.ok ? ok(viewOf(after.value)) : after;
}

/** A seller that answers may have become one whose answers cannot be used: the checks of the gate say it. */
async function holdBackGarbage(deps: SellerLifeDeps, caller: PrincipalCaller, id: string): Promise<void> {
  const scope = scopeOf(caller);
  const live = await deps.connections.byId(scope, id);
  if (live?.state !== 'live') return;
  const failed = (await testGate(deps, scope, live)).checks.find(({ state }) => state === 'failed');
  if (failed === undefined) return;
  await deps.connections.updateState(
    scope,
    live,
    { state: 'failed', reason: failed.words },
    deps.clock.now(),
  );
}

async function remove(deps: SellerLifeDeps, caller: PrincipalCaller, slug: string, drain: boolean) {
  const found = await find(deps, caller, slug);
  if (!found.ok) return found;
  const scope = scopeOf(caller);
  const { id } = found.value;
  if (!(await removeSeller(deps, scope, found.value))) {
    if (!drain) return err(stillBusy(slug, await deps.life.liveBuys(scope, id)));
    await deps.life.suspend(
      scope,
      id,
      { reason: 'It is removed after its last buy ends.', drains: true },
      deps.clock.now(),
    );
  }
  const after = await find(deps, caller, slug, { removed: true });
  return after.ok ? ok(await withBuys(deps, caller, after.value)) : after;
}

function stillBusy(slug: string, { count, ids }: LiveBuys): AdminFailure {
  const more = count > ids.length ? ' and others' : '';
  return {
    code: 'CONFLICT',
    message: `At the seller ${slug} ${count === 1 ? '1 media buy is' : `${count} media buys are`} live: ${ids.join(', ')}${more}.`,
    field: 'slug',
    suggestion: `Drain it: switchyard sellers remove ${slug} --drain (in REST drain=true). It gets no new requests, and is removed after its last buy ends.`,
  };
}

/** The address for the events of an agent that decides; sellers get one with each request. */
async function eventsUrl(
  { governance, clock, newId, baseUrl }: SellerLifeDeps,
  caller: PrincipalCaller,
  { id, kinds, state }: Connection,
): Promise<{ readonly events_url?: string }> {
  if (state === 'removed' || !kinds.some((kind) => kind === 'rights' || kind === 'governance')) return {};
  const address = await governance.addressOf(scopeOf(caller), id, newId(), clock.now());
  return { events_url: `${baseUrl()}/webhooks/${address}` };
}
