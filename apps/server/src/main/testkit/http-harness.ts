import {
  hashToken,
  newToken,
  permissionTable,
  type IdentityDirectory,
  type Permissions,
  type TokenMatch,
} from '@switchyard/tenancy';
import { taskError } from '@switchyard/protocol';
import { err, must, ok, Secret, type JsonObject } from '@switchyard/values';
import type { AnsweredTask } from '../../platform/tasks/operation/answered-tasks.js';
import { draftOf } from '../../sellers/seller-request.js';
import type { SellerDraft } from '../../platform/failure.js';
import type { Caller, TaskCall, TaskReply } from '../../platform/tasks/call/task-call.js';
import type { WebhookPost } from '../../webhooks/in/webhook-post.js';
import { createServer, type ServerOptions } from '../server.js';
import type { Served, ServerPorts } from '../server-ports.js';
import { CapabilitiesModule } from '../capabilities.module.js';
import type { CheckedRequest, RouteAnswer } from '../../platform/routes/route.js';
import type { RunRoute } from '../../platform/routes/route.js';

/** Real endpoints over real HTTP with a minimal application, for specs of the endpoints. */
export interface HttpHarness {
  readonly url: string;
  /** Of a principal with all permissions. */
  readonly token: string;
  /** Of a principal that may only read products. */
  readonly readerToken: string;
  readonly expiredToken: string;
  readonly adminSecret: string;
  readonly calls: TaskCall[];
  /** Ids of organizations that are closed before their deletion. */
  readonly closed: Set<string>;
  readonly webhooks: WebhookPost[];
  readonly drafts: SellerDraft[];
  readonly rotated: { readonly id: string; readonly secret: string }[];
  readonly settled: object[];
  readonly unexpected: unknown[];
  /** Sets the answer of the next task calls. */
  answerWith(answer: (call: TaskCall) => TaskReply | Promise<TaskReply>): void;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  close(): Promise<void>;
}

/** Returns the first error of an answer, wherever its endpoint has it. */
export async function faultOf(answer: Response): Promise<Record<string, string | undefined>> {
  interface Faults {
    readonly errors?: readonly Record<string, string>[];
    readonly error?: { readonly data?: Faults };
  }
  const body = (await answer.json()) as Faults;
  return body.errors?.[0] ?? body.error?.data?.errors?.[0] ?? {};
}

export const now = Date.UTC(2026, 10, 21, 12);

export function taskReply(body: JsonObject, more: Partial<TaskReply> = {}): TaskReply {
  return {
    profile: { dialect: 'ads', form: 'service' },
    status: 'completed',
    body,
    isError: false,
    errors: [],
    httpStatus: 200,
    ...more,
  };
}

/** Finished answers in memory, which their caller can read again. */
function specAnsweredTasks(): ServerPorts['answeredTasks'] {
  const stored = new Map<string, AnsweredTask>();
  const keyOf = (caller: Caller, id: string) =>
    `${caller.kind === 'principal' ? caller.principalId : ''} ${id}`;
  return {
    keep: (caller, task) => Promise.resolve(void stored.set(keyOf(caller, task.id), task)),
    find: (caller, id) => Promise.resolve(stored.get(keyOf(caller, id))),
  };
}

/** Task webhooks: a task has no address, and accepts none. */
const specPush: ServerPorts['taskPush'] = {
  set: () => Promise.resolve(err([taskError('INVALID_STATE', 'The task is over.')])),
  list: () => Promise.resolve(ok([])),
  remove: () => Promise.resolve(err([taskError('REFERENCE_NOT_FOUND', 'There is no such address.')])),
};

/** Finds principals for external identities. */
type SpecIdentities = (
  ...requested: Parameters<IdentityDirectory['find']>
) => Awaited<ReturnType<IdentityDirectory['find']>>;

/** Opens a server with fake ports; `ports` of a spec replace single ones. */
export async function openHttpHarness(
  options: Partial<ServerOptions> = {},
  {
    identities = () => [],
    runRoute,
    recordAct = (_route, _request, run) => run(),
    oncePerKey = (_route, _request, _caller, run) => run(),
    ...ports
  }: Partial<Omit<ServerPorts, 'identities'>> &
    Partial<Pick<Served, 'recordAct' | 'oncePerKey'>> & {
      readonly identities?: SpecIdentities;
      readonly runRoute?: RunRoute;
    } = {},
): Promise<HttpHarness> {
  const all = token(1, permissionTable);
  const reader = token(2, { products: ['read'] });
  const expired = token(3, permissionTable, now);
  const tokens = new Map(
    [all, reader, expired].map((item) => [item.match.token.hash.toString('hex'), item.match]),
  );
  const adminSecret = newToken(Buffer.alloc(32, 9)).text;
  const calls: TaskCall[] = [];
  const closed = new Set<string>();
  const webhooks: WebhookPost[] = [];
  const drafts: SellerDraft[] = [];
  const rotated: { id: string; secret: string }[] = [];
  const settled: HttpHarness['settled'] = [];
  const unexpected: unknown[] = [];
  const address = { url: '' };
  let answer: (call: TaskCall) => TaskReply | Promise<TaskReply> = () => taskReply({ products: [] });
  const answers = {
    ...specAdmin({ drafts, rotated, settled, address }),
    ...specEvents(),
    ...specPrincipals(),
  };
  const server = must(
    await createServer({
      served: {
        recordAct,
        oncePerKey,
        modules: [CapabilitiesModule.answeredBy(runRoute ?? specRunRoute(answers))],
      },
      port: 0,
      publicOrganizationId: '00000000-0000-4000-8000-000000000001',
      adminSecret: new Secret(Buffer.from(adminSecret)),
      onUnexpected: (error) => unexpected.push(error),
      ports: {
        clock: { now: () => now, after: () => () => undefined },
        assistantActs: {
          ask: () => Promise.resolve(undefined),
          find: () => Promise.resolve(undefined),
          move: () => Promise.resolve(false),
        },
        changes: { open: () => err({ code: 'SERVICE_UNAVAILABLE', message: 'Nothing changes here.' }) },
        // With more members than the endpoints may publish.
        publishedKeys: (state) =>
          Promise.resolve([
            {
              kid: state === 'current' ? 'k1' : 'k0',
              kty: 'OKP',
              crv: 'Ed25519',
              x: 'public',
              d: 'private',
              ads_use: 'request-signing',
            },
          ]),
        publishedHeads: (organizationId) =>
          Promise.resolve(
            organizationId === '00000000-0000-4000-8000-000000000001'
              ? [
                  {
                    number: '3',
                    hash: 'a'.repeat(64),
                    made_at: '2026-11-24T00:00:00.000Z',
                    jws: 'e.e.e',
                    key: { kid: 'k1', kty: 'OKP', crv: 'Ed25519', x: 'public', d: 'private' },
                  },
                ]
              : [],
          ),
        identities: {
          find: (kind, issuer, subjects) => Promise.resolve(identities(kind, issuer, subjects)),
          prove: () => Promise.resolve(),
        },
        issuedTokens: { verify: () => Promise.resolve(err('is of no issuer that is trusted here')) },
        rates: { take: () => undefined, giveBack: () => undefined },
        isStopped: (id, kind) => Promise.resolve(kind === 'organization' && closed.has(id)),
        relay: {
          pass: () => Promise.reject(new Error('Nothing is relayed here.')),
          passKnown: () => Promise.resolve(undefined),
          tooLarge: () => Promise.reject(new Error('Nothing is relayed here.')),
        },
        // Nothing is provisioned here.
        scim: {} as ServerPorts['scim'],
        signatures: { verify: () => Promise.resolve(err('request_signature_key_unknown')) },
        principals: {
          find: () => Promise.resolve(undefined),
          findByTokenHash: (hash) => Promise.resolve(tokens.get(hash.toString('hex'))),
          issueToken: () => Promise.reject(new Error('No session is opened here.')),
          revokeToken: () => Promise.resolve(false),
          noteUse: () => Promise.resolve(),
        },
        tasks: {
          call: async (call) => {
            calls.push(call);
            return answer(call);
          },
        },
        taskPush: specPush,
        answeredTasks: specAnsweredTasks(),
        webhooks: {
          accept: (post) => {
            webhooks.push(post);
            return Promise.resolve({ status: 200, headers: {}, body: '{"status":"accepted"}' });
          },
        },
        ready: { check: () => Promise.resolve({ ready: false, parts: { database: 'starting' } }) },
        metrics: { contentType: 'text/plain; version=0.0.4', render: () => Promise.resolve('up 1\n') },
        ...ports,
      },
      ...options,
    }),
  );
  address.url = server.url;
  return {
    url: server.url,
    token: all.text,
    readerToken: reader.text,
    expiredToken: expired.text,
    adminSecret,
    calls,
    closed,
    webhooks,
    drafts,
    rotated,
    settled,
    unexpected,
    answerWith: (given) => {
      answer = given;
    },
    post: (path, body, headers = {}) =>
      fetch(server.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body:
          typeof body === 'string' || body instanceof Uint8Array ? (body as string) : JSON.stringify(body),
      }),
    close: () => server.close(),
  };
}

function token(seed: number, permissions: Permissions, expiresAt = now + 1000) {
  const { text } = newToken(Buffer.alloc(32, seed));
  const id = `00000000-0000-4000-8000-00000000010${seed}`;
  const match: TokenMatch = {
    principal: {
      id,
      organizationId: '00000000-0000-4000-8000-000000000002',
      name: `principal ${seed}`,
      kind: 'buyer',
      permissions,
      transitional: true,
      legacy: true,
    },
    token: {
      id,
      principalId: id,
      scheme: 'bearer',
      hash: hashToken(text),
      label: 'spec',
      createdAt: 0,
      expiresAt,
    },
  };
  return { text, match };
}

function specAdmin({
  drafts,
  rotated,
  settled,
  address,
}: {
  readonly drafts: SellerDraft[];
  readonly rotated: { id: string; secret: string }[];
  readonly settled: object[];
  readonly address: { readonly url: string };
}): SpecAnswers {
  const seller = {
    slug: 'acme',
    name: 'Acme',
    agent_url: 'http://127.0.0.1:1/mcp',
    protocol: 'mcp',
    dialect: 'ads',
    form: 'auto',
    kinds: ['sales'],
    state: 'live',
  };
  const at = '2026-11-21T12:00:00.000Z';
  const credential = {
    credential_id: 'c1',
    version: 2,
    kind: 'seller',
    scheme: 'bearer',
    kms_key_id: 'local:1',
    created_at: at,
    state: 'current',
    uses: 3,
    refusals: 0,
    says: 'The seller takes it.',
    can_rotate: true,
  };
  const whose = {
    ...{ client: null, client_id: null, brand: null, brand_name: null },
    ...{ campaign: null, campaign_id: null, account: null },
  };
  const entry = { entry_id: 'e1', kind: 'bought', occurred_at: at, seller: 'acme', hash: 'ab', ...whose };
  return {
    list_sellers: () => ok({ sellers: [seller] }),
    add_seller: ({ body }) => {
      const draft = draftOf(body as Parameters<typeof draftOf>[0]);
      drafts.push(draft);
      return ok({ ...seller, slug: draft.slug });
    },
    import_sellers: ({ body }) => {
      const rows = (body as Parameters<typeof draftOf>[0][]).map(draftOf);
      drafts.push(...rows);
      return ok({ sellers: rows.map(({ slug }) => ({ slug, state: 'live' })) });
    },
    list_buys: () => ok({ media_buys: [] }),
    settle_leg: ({ params: { id }, body }) => {
      if (id === 'l9') return err({ code: 'NOT_FOUND', message: 'There is no such thing.' });
      settled.push({ id, ...(body as object) });
      return ok({ leg_id: id, task_status: 'completed' });
    },
    ledger_spend: () => ok({ spend: [{ seller: 'acme', currency: 'USD', spend: '12.5' }] }),
    ledger_verify: () => ok({ ok: true, entries: 3, head: 'ab' }),
    ledger_entries: () => ok({ entries: [{ ...entry, postings: [], facts: { action: 'create' } }] }),
    ledger_export: () =>
      ok({
        ...{ format: 'switchyard.ledger.export.1', stream: 'ledger', blocks: [], anchors: [] },
        organization: 'agency.example',
        head: { number: '0', hash: '', entry_total: '0', sealed_at: '2026-11-21T12:00:00.000Z' },
      }),
    list_credentials: () => ok({ credentials: [credential] }),
    rotate_credential: ({ params: { id = '' }, body }) => {
      rotated.push({ id, ...(body as { secret: string }) });
      return ok(credential);
    },
    rewrap_credentials: () => ok({ rewrapped: 1, kms_key_id: 'local:2', left: 0 }),
    mint_token: ({ caller }) => {
      const principal = caller === 'local' ? 'local' : caller.name;
      const { url } = address;
      const urls = { url, mcp_url: `${url}/mcp`, a2a_url: `${url}/a2a` };
      return ok({ ...urls, token: 'sy_minted', principal, expires_at: at });
    },
    instance: () => ok({ version: '0.1.0', started_at: at, sellers_live: 1, sellers: 1 }),
  };
}

/** All requested principals exist except `nobody` and `s2`; a created one is returned at once. */
function specPrincipals(): SpecAnswers {
  const at = '2026-11-21T12:00:00.000Z';
  const key = {
    kid: 'k1',
    principal: 'operator',
    signs: ['requests'],
    state: 'live',
    alg: 'ed25519',
    created_at: at,
  };
  const made = { principal_id: 'p1', token_id: 't1', token: 'sy_new', expires_at: at };
  const known =
    (answer: object): SpecAnswers[string] =>
    ({ params, body }) => {
      const { name = (body as { name?: string } | undefined)?.name, id = name } = params;
      return id === 'nobody' || id === 's2'
        ? err({ code: 'NOT_FOUND', message: 'There is no such thing.' })
        : ok(answer);
    };
  const principal = { principal_id: 'p1', name: 'agency', kind: 'buyer', permissions: {}, tokens: [] };
  const marks = { transitional: false, legacy: false, created_at: at, identities: [] };
  const signer = { signer_id: 's1', principal: 'operator', agent_url: 'https://agent.example/mcp' };
  return {
    list_keys: () => ok({ keys: [key] }),
    rotate_key: ({ body }) =>
      (body as { principal?: string }).principal === 'nobody'
        ? err({ code: 'NOT_FOUND', message: 'There is no such thing.' })
        : ok({ ...key, state: 'published' }),
    list_signers: () => ok({ signers: [] }),
    add_signer: known({ ...signer, dialect: 'ads', allows_rsa_pss: false, created_at: at }),
    remove_signer: known({ signer_id: 's1', removed: true }),
    list_principals: () => ok({ principals: [] }),
    add_principal: known({ ...principal, ...marks, ...made }),
    add_token: known(made),
    rotate_token: known({ ...made, previous_until: at }),
    revoke_principal: known({ principal_id: 'p1', revoked: true }),
    restore_principal: known({ principal_id: 'p1', restored: true }),
    revoke_token: known({ token_id: 't1', revoked: true }),
    add_identity: known({ identity_id: 'i1', kind: 'certificate', subject: 'dns:agent.example' }),
    remove_identity: known({ identity_id: 'i1', removed: true }),
  };
}

/** One webhook in quarantine, which can be decided once. */
function specEvents(): SpecAnswers {
  let state = 'quarantined';
  const at = '2026-11-21T12:00:00.000Z';
  const row = {
    event_id: 'e1',
    seller: 'acme',
    kind: 'delivery_report',
    reason: 'after_final',
    sender: 'https://acme.example/mcp',
    received_at: at,
    copies: 0,
    ...{ client: null, client_id: null, brand: null, brand_name: null, campaign: null, campaign_id: null },
  };
  const detail = { ...row, registration_id: 'whr_1', body_sha256: 'ab', steps: [], duplicates: [] };
  const missing = err({ code: 'NOT_FOUND', message: 'There is no such thing.' } as const);
  const decide =
    (decision: 'admitted' | 'dismissed'): SpecAnswers[string] =>
    ({ caller, params, body }) => {
      if (params['id'] !== row.event_id) return missing;
      if (state !== 'quarantined') return err({ code: 'CONFLICT', message: 'It is decided.' });
      state = decision === 'admitted' ? 'applied' : 'refused';
      const by = caller === 'local' ? caller : caller.name;
      return ok({ ...detail, state, decision: { decision, ...(body as object), by, decided_at: at } });
    };
  return {
    list_events: ({ query }) => {
      const requested = query as { readonly state?: string; readonly seller?: string };
      const isShown = state === (requested.state ?? state) && row.seller === (requested.seller ?? row.seller);
      return ok({ received: 0, applied: 0, quarantined: 0, events: isShown ? [{ ...row, state }] : [] });
    },
    show_event: ({ params, query }) => {
      if (params['id'] !== row.event_id) return missing;
      const raw = { method: 'POST', url: 'http://x', headers: [], body_base64: 'e30=' };
      const isRaw = (query as { readonly raw?: string }).raw === 'true';
      return ok({ ...detail, state, ...(isRaw && { raw }) });
    },
    admit_event: decide('admitted'),
    dismiss_event: decide('dismissed'),
  };
}

/** Answers of some routes by id, for specs of the endpoints. */
type SpecAnswers = Readonly<Record<string, (request: CheckedRequest) => RouteAnswer>>;

/** All other routes answer "not found". An answer that does not match its route's schema throws. */
function specRunRoute(answers: SpecAnswers): RunRoute {
  return (route, request) => {
    const answer =
      answers[route.id]?.(request) ?? err({ code: 'NOT_FOUND', message: 'There is no such thing.' });
    if (answer.ok) route.answer.parse(answer.value);
    return Promise.resolve(answer);
  };
}
