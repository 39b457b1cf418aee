import { emptyStream } from '@switchyard/journal';
import { ledgerExport } from '@switchyard/ledger';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  createServer,
  type AccountsAdmin,
  type AccountView,
  type AdminService,
  type BuyDetail,
  type AlarmsAdmin,
  type CustodyAdmin,
  type DelegationsAdmin,
  type EventDetail,
  type EventsAdmin,
  type IdentityAdmin,
  type LedgerVerdict,
  type PrincipalAdmin,
  type TaskCall,
  type TaskReply,
  type ApprovalsAdmin,
  type ApprovalView,
} from '@switchyard/server';
import { err, ok, type JsonObject } from '@switchyard/values';
import { ensureAdminSecret, writeInstanceNote } from './instance-files.js';

/** For the specs of the command line: a real server on loopback with a small application, and its data folder. */
export interface SpecInstance {
  readonly url: string;
  readonly dataFolder: string;
  readonly token: string;
  readonly calls: TaskCall[];
  readonly secrets: string[];
  /** What was asked of the principals, call by call. */
  readonly asked: unknown[];
  answerWith(answer: (call: TaskCall) => TaskReply): void;
  verdict: LedgerVerdict;
  sellerState: 'live' | 'failed';
  close(): Promise<void>;
}

export function reply(body: JsonObject, more: Partial<TaskReply> = {}): TaskReply {
  return {
    voice: { dialect: 'ads', form: 'service' },
    status: 'completed',
    body,
    isError: false,
    errors: [],
    httpStatus: 200,
    ...more,
  };
}

export async function specInstance(): Promise<SpecInstance> {
  const text = `sy_${'A'.repeat(43)}`;
  const dataFolder = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  const calls: TaskCall[] = [];
  const secrets: string[] = [];
  const asked: unknown[] = [];
  let answer = (_call: TaskCall): TaskReply => reply({});
  const instance = {
    verdict: { ok: true, entries: 2, head: 'abc' } as SpecInstance['verdict'],
    sellerState: 'live' as SpecInstance['sellerState'],
  };
  const id = '00000000-0000-4000-8000-000000000001';
  const principal = {
    id,
    organizationId: id,
    name: 'operator',
    kind: 'person',
    permissions: {
      sellers: ['read', 'write', 'delete', 'approve'],
      principals: ['read', 'write', 'delete'],
      media_buys: ['read', 'approve'],
      reports: ['read'],
      ledger: ['read', 'approve'],
    },
    transitional: true,
    legacy: true,
  } as const;
  const token = {
    id,
    principalId: id,
    scheme: 'bearer' as const,
    hash: createHash('sha256').update(text).digest(),
    label: '',
    createdAt: 0,
    expiresAt: 2,
  };
  const server = await createServer({
    port: 0,
    adminSecret: ensureAdminSecret(dataFolder),
    ports: {
      clock: { now: () => 1, after: () => () => undefined },
      identity: specIdentity(asked),
      accounts: specAccounts(),
      alarms: specAlarms(),
      identities: { find: () => Promise.resolve([]) },
      issuedTokens: { verify: () => Promise.resolve(err('is of no issuer that is trusted here')) },
      rates: { take: () => undefined, giveBack: () => undefined },
      principalAdmin: specPrincipals(asked),
      relay: {
        pass: () => Promise.reject(new Error('Nothing is relayed here.')),
        passKnown: () => Promise.resolve(undefined),
        tooLarge: () => Promise.reject(new Error('Nothing is relayed here.')),
      },
      delegations: specDelegations,
      custody: specCustody,
      signatures: { verify: () => Promise.resolve(err('request_signature_key_unknown')) },
      principals: {
        findByTokenHash: (hash) =>
          Promise.resolve(hash.equals(token.hash) ? { principal, token } : undefined),
      },
      tasks: {
        call: (call) => {
          calls.push(call);
          return Promise.resolve(answer(call));
        },
      },
      taskPush: {
        set: () => Promise.reject(new Error('No address is registered here.')),
        list: () => Promise.resolve(ok([])),
        remove: () => Promise.resolve(ok(undefined)),
      },
      admin: specAdmin(text, secrets, instance),
      events: specEvents(),
      approvals: specApprovals(),
      webhooks: { accept: () => Promise.resolve({ status: 200, headers: {}, body: '' }) },
      ready: { check: () => Promise.resolve({ ready: true, parts: {} }) },
      metrics: { contentType: 'text/plain', render: () => Promise.resolve('') },
    },
  });
  if (!server.ok) throw new Error(server.error.message);
  writeInstanceNote(dataFolder, { pid: process.pid, url: server.value.url });
  return Object.assign(instance, {
    url: server.value.url,
    dataFolder,
    token: text,
    calls,
    secrets,
    asked,
    answerWith: (given: (call: TaskCall) => TaskReply) => {
      answer = given;
    },
    close: () => server.value.close(),
  });
}

function specAlarms(): AlarmsAdmin {
  const alarm = {
    alarm_id: 'a1',
    kind: 'jwks_uri_changed',
    subject: 'seller acme',
    detail: { named: 'https://new.example/\u001b[2J' },
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-21T12:00:00.000Z',
    count: 3,
  };
  return {
    list: (_caller, { isOpen }) => Promise.resolve(isOpen === false ? [] : [alarm]),
    acknowledge: (caller, id, { reason, accepts }) =>
      Promise.resolve(
        id === 'a1'
          ? ok({ ...alarm, acknowledged_by: caller.name, reason, detail: { accepts: String(accepts) } })
          : err({ code: 'NOT_FOUND', message: 'There is no such alarm.' } as const),
      ),
    refusedSignatures: (_caller, { code }) =>
      Promise.resolve(
        [
          {
            refusal_id: 'r1',
            code: 'request_signature_invalid',
            method: 'POST',
            path: '/mcp',
            refused_at: '2026-11-21T12:00:00.000Z',
            keyid: 'k\u001b[2J1',
            is_stranger: true,
            steps: [{ step: '10', name: 'signature', ok: false, seen: 'not by this key' }],
          },
        ].filter((one) => code === undefined || one.code === code),
      ),
  };
}

function specAdmin(
  token: string,
  secrets: string[],
  instance: Pick<SpecInstance, 'verdict' | 'sellerState'>,
): AdminService {
  const unused = (): never => {
    throw new Error('not asked for in these specs');
  };
  return {
    listSellers: () => Promise.resolve([]),
    addSeller: (_caller, draft) => {
      draft.token?.useText((text) => secrets.push(text));
      return Promise.resolve(
        ok({
          slug: draft.slug,
          name: draft.slug,
          agent_url: draft.agentUrl,
          protocol: draft.protocol,
          dialect: draft.dialect,
          form: draft.form ?? 'auto',
          kinds: ['sales'],
          state: instance.sellerState,
          ...(instance.sellerState === 'failed' ? { reason: 'nobody answers\u001b[2J there' } : {}),
        }),
      );
    },
    importSellers: (_caller, rows) =>
      Promise.resolve(
        ok(
          rows.map(({ slug }) =>
            slug === 'dead'
              ? { slug, state: 'failed' as const, reason: 'unreachable' }
              : { slug, state: 'live' as const },
          ),
        ),
      ),
    listBuys: () => Promise.resolve([]),
    settleLeg: (_caller, verdict) => Promise.resolve(ok({ leg_id: verdict.legId, task_status: 'completed' })),
    showBuy: (_caller, id) =>
      Promise.resolve(
        id === 'mb_1'
          ? ok(specBuy)
          : err({ code: 'NOT_FOUND', message: 'There is no such media buy.', field: 'id' }),
      ),
    ledgerSpend: () => Promise.resolve([{ seller: 'acme', currency: 'USD', spend: '12.500001' }]),
    ledgerVerify: () => Promise.resolve(instance.verdict),
    ledgerEntries: () =>
      Promise.resolve([
        {
          entry_id: 'e1',
          kind: 'bought',
          occurred_at: '2026-11-21T12:00:00.000Z',
          seller: 'acme',
          hash: 'ab',
          postings: [],
          facts: { action: 'create' },
        },
      ]),
    ledgerExport: () => Promise.resolve(ledgerExport({ blocks: [], head: emptyStream('ledger:spec') })),
    listCredentials: () => Promise.resolve([]),
    rotateCredential: (_caller, id, secret) => {
      secret.useText((text) => secrets.push(text));
      return Promise.resolve(
        ok({
          credential_id: id,
          version: 2,
          kind: 'seller',
          scheme: 'bearer',
          kms_key_id: 'k',
          created_at: 'now',
        }),
      );
    },
    rewrapCredentials: () => Promise.resolve(ok({ rewrapped: 3, kms_key_id: 'k2' })),
    mintToken: () =>
      Promise.resolve(ok({ token, principal: 'operator', expires_at: '2026-11-22T12:00:00.000Z' })),
    instance: unused,
    eventCounts: () => Promise.resolve({ received: 1, applied: 0, quarantined: 1 }),
  };
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const bin = new URL('../bin/switchyard.mjs', import.meta.url).pathname;

/** Runs the real command in a process of its own. */
export function run(
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: string; readonly env?: Record<string, string> } = {},
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: options.cwd ?? tmpdir(),
      env: { PATH: process.env['PATH'], ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? '');
  });
}

/** One key of ours; rotating publishes the next. */
function specIdentity(asked: unknown[]): IdentityAdmin {
  const key = { kid: 'k1', principal: 'operator', state: 'live', alg: 'ed25519', created_at: 'now' } as const;
  const missing = err({ code: 'NOT_FOUND', message: 'There is no such principal.' } as const);
  return {
    publishedKeys: () => Promise.resolve([]),
    listKeys: () => Promise.resolve([key]),
    rotateKey: (_caller, { principal, kmsKeyId }) =>
      Promise.resolve(
        principal === 'nobody'
          ? missing
          : ok({
              ...key,
              kid: 'k2',
              principal: principal ?? 'operator',
              state: 'published' as const,
              live_from: 'soon',
              ...(kmsKeyId === undefined ? {} : { kms_key_id: kmsKeyId }),
            }),
      ),
    listSigners: () => Promise.resolve([specSigner]),
    addSigner: (_caller, principal, draft) => {
      asked.push(['addSigner', principal, draft]);
      const { agentUrl, dialect, allowsRsaPss = false } = draft;
      const view = { principal, agent_url: agentUrl, dialect, allows_rsa_pss: allowsRsaPss };
      return Promise.resolve(principal === 'nobody' ? missing : ok({ ...specSigner, ...view }));
    },
    removeSigner: (_caller, id) => {
      asked.push(['removeSigner', id]);
      return Promise.resolve(id === 's1' ? ok({ signer_id: id, removed: true }) : missing);
    },
  };
}

const specSigner = {
  signer_id: 's1',
  principal: 'agency',
  agent_url: 'https://agency.example/mcp',
  kids: ['k9'],
  dialect: 'ads',
  allows_rsa_pss: false,
  created_at: 'now',
} as const;

/** Makes what it is asked for and remembers the question. There is nobody called `nobody`. */
function specPrincipals(asked: unknown[]): PrincipalAdmin {
  const missing = err({ code: 'NOT_FOUND', message: 'There is no such principal.' } as const);
  const known = <T>(name: string, value: T, ...question: unknown[]) => {
    asked.push(question);
    return Promise.resolve(name === 'nobody' ? missing : ok(value));
  };
  const made = { principal_id: 'p1', token_id: 't1', expires_at: 'soon' };
  const bearer = { ...made, token: 'sy_new' };
  return {
    list: () =>
      Promise.resolve([
        {
          principal_id: 'p1',
          name: 'agency',
          kind: 'buyer' as const,
          permissions: {},
          transitional: false,
          legacy: false,
          created_at: 'now',
          tokens: [
            { token_id: 't1', scheme: 'bearer' as const, label: 'x', created_at: 'now', expires_at: 'soon' },
          ],
          identities: [],
        },
      ]),
    add: (_caller, draft) => {
      const { scheme, name, kind, permissions = {}, transitional, legacy } = draft;
      const secret =
        scheme === 'basic'
          ? { ...made, username: 'p1', password: 'sy_pass' }
          : scheme === 'none'
            ? {}
            : bearer;
      const view = { name, kind, permissions, transitional, legacy, created_at: 'now' };
      return known(
        name,
        { principal_id: 'p1', ...view, tokens: [], identities: [], ...secret },
        'add',
        draft,
      );
    },
    addToken: (_caller, name, draft) => known(name, bearer, 'addToken', name, draft),
    rotate: (_caller, name, ask) => known(name, { ...bearer, previous_until: 'later' }, 'rotate', name, ask),
    revoke: (_caller, name) => known(name, { revoked: true }, 'revoke', name),
    revokeToken: (_caller, id) => known(id, { revoked: true }, 'revokeToken', id),
    addIdentity: (_caller, name, draft) =>
      known(name, { identity_id: 'i1', ...draft }, 'addIdentity', name, draft),
    removeIdentity: (_caller, id) => known(id, { removed: true }, 'removeIdentity', id),
  };
}

/** One webhook in quarantine; whatever is decided about it says by its state how. */
function specEvents(): EventsAdmin {
  const event: EventDetail = {
    event_id: 'e1',
    seller: 'acme',
    kind: 'delivery_report',
    state: 'quarantined',
    reason: 'after_final',
    explanation: 'It came after the final report of its stream.',
    sender: 'https://acme.example/mcp',
    received_at: '2026-11-21T12:00:00.000Z',
    copies: 1,
    registration_id: 'whr_1',
    body_sha256: 'abab',
    steps: [{ step: '1', name: 'parse', ok: true, seen: 'sig1 \u001b[2J' }],
    duplicates: [
      {
        body_sha256: 'cdcd',
        is_same_body: false,
        copies: 1,
        first_seen_at: '2026-11-21T12:00:01.000Z',
        last_seen_at: '2026-11-21T12:00:01.000Z',
      },
    ],
  };
  const raw = {
    method: 'POST',
    url: 'http://us/webhooks/whr_1',
    headers: [['Content-Type', 'application/json']] as const,
    body_base64: 'e30=',
    body_text: '{}',
  };
  const decided =
    (state: EventDetail['state'], decision: 'admitted' | 'dismissed'): EventsAdmin['admit'] =>
    (caller, _id, reason) =>
      Promise.resolve(
        ok({ ...event, state, decision: { decision, reason, by: caller.name, decided_at: 'now' } }),
      );
  return {
    list: (_caller, { state, seller }) =>
      Promise.resolve(
        [event].filter((one) => one.state === (state ?? one.state) && one.seller === (seller ?? one.seller)),
      ),
    show: (_caller, id, asked) =>
      Promise.resolve(
        id === 'e1'
          ? ok(asked.raw ? { ...event, raw } : event)
          : err({ code: 'NOT_FOUND', message: 'No event of yours has this id.' } as const),
      ),
    admit: decided('applied', 'admitted'),
    dismiss: decided('refused', 'dismissed'),
  };
}

/** One open question of one seller; answered once. */
function specApprovals(): ApprovalsAdmin {
  const question: ApprovalView = {
    approval_id: 'a1',
    kind: 'question',
    state: 'open',
    seller: 'acme',
    task: 'create_media_buy',
    operation_id: 'op1',
    reason: 'A purchase order number\u001b[2J is needed.',
    since: '2026-01-01T00:00:00.000Z',
    can_answer: true,
  };
  return {
    list: (_caller, { state }) => Promise.resolve(state === undefined || state === 'open' ? [question] : []),
    answer: (_caller, id, answer) =>
      Promise.resolve(
        id === 'a1'
          ? ok({ ...question, state: 'answered', can_answer: false, answer, outcome: 'completed' })
          : err({ code: 'NOT_FOUND' as const, message: 'There is no such question.' }),
      ),
    dismiss: (_caller, id, reason) =>
      Promise.resolve(
        id === 'a2'
          ? ok({ ...question, approval_id: 'a2', state: 'dismissed', can_answer: false, outcome: reason })
          : err({ code: 'NOT_FOUND' as const, message: 'There is no such question.' }),
      ),
  };
}

const none = { code: 'NOT_FOUND', message: 'Nothing is relayed here.' } as const;
const specDelegations: DelegationsAdmin = {
  grant: (_caller, { principalId }) => Promise.resolve(ok({ delegation_id: `of ${principalId}` })),
  list: () => Promise.resolve(ok([])),
  revoke: () => Promise.resolve(err(none)),
  address: () => Promise.resolve(err(none)),
};
const specCustody: CustodyAdmin = {
  list: () => Promise.resolve(ok([])),
  show: () => Promise.resolve(err(none)),
  export: () => Promise.resolve(err(none)),
  verify: () => Promise.resolve(ok({ ok: true, records: 0, head: null })),
};

/** A buy that was changed once, with a change whose outcome nobody knows. */
const specBuy: BuyDetail = {
  media_buy_id: 'mb_1',
  operation_id: 'o1',
  status: 'paused',
  currency: 'USD',
  total_budget: '1000',
  start_time: '2026-11-21T12:00:00.000Z',
  end_time: '2026-12-21T12:00:00.000Z',
  created_at: '2026-11-21T12:00:00.000Z',
  sellers: [{ seller: 'acme', status: 'paused' }],
  revision: 2,
  task_id: 't1',
  task_status: 'completed',
  packages: [],
  legs: [
    {
      leg_id: 'l2',
      seller: 'acme',
      task: 'update_media_buy',
      operation_id: 'o2',
      task_status: 'unknown',
      waits_for_person: true,
    },
  ],
  changes: [
    {
      revision: 2,
      at: '2026-11-21T13:00:00.000Z',
      seller: 'acme',
      actor: 'buyer',
      action: 'update_packages',
      package_id: 'acme:p1',
      detail: { budget: '4321.5' },
      operation_id: 'o3',
    },
  ],
};

/** One account, which stands as it was last told to. */
function specAccounts(): AccountsAdmin {
  let account: AccountView = {
    account_id: 'acc1',
    principal_id: 'p1',
    principal: 'agency',
    brand_domain: 'brand.example',
    operator: 'agency.example',
    sandbox: false,
    status: 'active',
    created_at: '2026-11-21T12:00:00.000Z',
  };
  return {
    list: () => Promise.resolve([account]),
    stand: (_caller, id, { status, reason }) => {
      if (id !== account.account_id)
        return Promise.resolve(err({ code: 'NOT_FOUND', message: 'No open account has this id.' } as const));
      account = { ...account, status, reason };
      return Promise.resolve(ok(account));
    },
  };
}
