import { afterAll } from '@jest/globals';
import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CapabilitiesModule,
  createServer,
  WaitsForApproval,
  type ServerPorts,
  type TaskCall,
  type TaskReply,
} from '@switchyard/server';
import { err, must, ok, type JsonObject } from '@switchyard/values';
import { ensureAdminSecret } from '../instance-files.js';
import { specAdmin, type SpecTruth } from './admin.js';
import { specEvents } from './events.js';
import { specNotices } from './notices.js';
import { specPrincipals } from './principals.js';
import { specRunRoute, type SpecAnswers } from './run-route.js';
import { specSellerCalendar } from './seller-calendar.js';

/** For the specs of the command line: a real server on loopback with a small application, and its data folder. */
export interface SpecInstance extends SpecTruth {
  readonly dataFolder: string;
  readonly token: string;
  readonly calls: TaskCall[];
  readonly secrets: string[];
  /** What was asked of the principals, call by call. */
  readonly requested: unknown[];
  answerWith(answer: (call: TaskCall) => TaskReply): void;
  close(): Promise<void>;
}

export function reply(body: JsonObject, more: Partial<TaskReply> = {}): TaskReply {
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

/** One change, then the stream ends; there is no second one. */
const specChanges: ServerPorts['changes'] = {
  open: ({ after, caller: { organizationId } }, sink) => {
    if (after !== undefined) return err({ code: 'SERVICE_UNAVAILABLE', message: 'The server is stopping.' });
    setImmediate(() => {
      sink.ready({ tx: 7n, id: 0n });
      const place = { tx: 8n, id: 3n };
      const what = { kind: 'seller', objectId: '\u001b[2Jacme', action: 'updated' } as const;
      sink.change({ organizationId, place, at: 1, ...what });
      sink.end();
    });
    return ok(() => undefined);
  },
};

/** The instance of a spec file, which ends with it. */
export async function usingInstance(): Promise<SpecInstance> {
  const instance = await specInstance();
  afterAll(() => instance.close());
  return instance;
}

/** Nobody may relay anything yet, whatever is granted is made, and the chain of custody is empty. */
const specRelay: SpecAnswers = {
  grant_delegation: ({ body }) =>
    ok({ delegation_id: `of ${(body as { readonly principal_id: string }).principal_id}` }),
  list_delegations: () => ok({ delegations: [] }),
  list_custody: () => ok({ records: [] }),
  verify_custody: () => ok({ ok: true, records: 0, head: null }),
};

export async function specInstance(): Promise<SpecInstance> {
  const text = `sy_${'A'.repeat(43)}`;
  const dataFolder = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  const calls: TaskCall[] = [];
  const secrets: string[] = [];
  const requested: unknown[] = [];
  let answer = (_call: TaskCall): TaskReply => reply({});
  const instance: SpecTruth = {
    verdict: { ok: true, entries: 2, head: 'abc' },
    sellerState: 'live',
    url: '',
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
      media_buys: ['read', 'write', 'approve'],
      reports: ['read'],
      ledger: ['read', 'write', 'approve'],
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
  const server = must(
    await createServer({
      port: 0,
      adminSecret: ensureAdminSecret(dataFolder),
      served: {
        recordAct: (_route, _request, run) => run(),
        oncePerKey: (_route, _request, _caller, run) => run(),
        modules: [
          CapabilitiesModule.answeredBy(
            specRunRoute({
              ...specAccounts(),
              ...specSellerCalendar(),
              ...specAdmin(text, secrets, instance),
              ...specAlarms(),
              ...specApprovals(),
              ...specAudit(),
              ...specEvents(),
              ...specIdentity(requested),
              ...specNotices(requested),
              ...specPrincipals(requested),
              ...specRelay,
              ...specControls,
              preview_buy: 'example',
            }),
          ),
        ],
      },
      ports: {
        clock: { now: () => 1, after: () => () => undefined },
        assistantActs: {
          ask: () => Promise.resolve(undefined),
          find: () => Promise.resolve(undefined),
          move: () => Promise.resolve(false),
        },
        publishedKeys: () => Promise.resolve([]),
        publishedHeads: () => Promise.resolve([]),
        // Nothing is provisioned here.
        scim: {} as ServerPorts['scim'],
        changes: specChanges,
        identities: { find: () => Promise.resolve([]), prove: () => Promise.resolve() },
        issuedTokens: { verify: () => Promise.resolve(err('is of no issuer that is trusted here')) },
        rates: { take: () => undefined, giveBack: () => undefined },
        isStopped: () => Promise.resolve(false),
        relay: {
          pass: () => Promise.reject(new Error('Nothing is relayed here.')),
          passKnown: () => Promise.resolve(undefined),
          tooLarge: () => Promise.reject(new Error('Nothing is relayed here.')),
        },
        signatures: { verify: () => Promise.resolve(err('request_signature_key_unknown')) },
        principals: {
          find: () => Promise.resolve(undefined),
          findByTokenHash: (hash) =>
            Promise.resolve(hash.equals(token.hash) ? { principal, token } : undefined),
          issueToken: () => Promise.reject(new Error('No session is opened here.')),
          revokeToken: () => Promise.resolve(false),
          noteUse: () => Promise.resolve(),
        },
        tasks: {
          call: (call) => {
            calls.push(call);
            return Promise.resolve(answer(call));
          },
        },
        answeredTasks: { keep: () => Promise.resolve(), find: () => Promise.resolve(undefined) },
        taskPush: {
          set: () => Promise.reject(new Error('No address is registered here.')),
          list: () => Promise.resolve(ok([])),
          remove: () => Promise.resolve(ok(undefined)),
        },
        webhooks: { accept: () => Promise.resolve({ status: 200, headers: {}, body: '' }) },
        ready: { check: () => Promise.resolve({ ready: true, parts: {} }) },
        metrics: { contentType: 'text/plain', render: () => Promise.resolve('') },
      },
    }),
  );
  const note = { pid: process.pid, url: server.url };
  writeFileSync(join(dataFolder, 'instance.json'), JSON.stringify(note));
  return Object.assign(instance, {
    url: server.url,
    dataFolder,
    token: text,
    calls,
    secrets,
    requested,
    answerWith: (given: (call: TaskCall) => TaskReply) => {
      answer = given;
    },
    close: () => server.close(),
  });
}

/** One account, which stands as it was last told to. */
function specAccounts(): SpecAnswers {
  let account = {
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
    list_all_accounts: () => ok({ accounts: [account] }),
    set_account_status: ({ params, body }) => {
      if (params['id'] !== account.account_id)
        return err({ code: 'NOT_FOUND', message: 'No open account has this id.' });
      account = { ...account, ...(body as object) };
      return ok(account);
    },
  };
}

/** Two acts on pages of one, the older one by somebody whose name is a formula. */
function specAudit(): SpecAnswers {
  const at = '2026-11-21T12:00:00.000Z';
  const act = {
    kind: 'act',
    at,
    actor_id: 'p1',
    action: 'revoke_principal',
    object_kind: 'principal',
    object_id: 'p2',
    object_name: 'nova',
    outcome: 'ok',
    ended_at: at,
    detail: { path: { name: 'nova' } },
  };
  return {
    list_audit: ({ query }) => {
      const { cursor, kind } = query as { readonly cursor?: string; readonly kind?: string };
      if (kind === 'credential_use') return ok({ events: [] });
      return cursor === undefined
        ? ok({ events: [{ ...act, event_id: 'act-2', actor: 'ada' }], next_cursor: 'more' })
        : ok({ events: [{ ...act, event_id: 'act-1', actor: '=HYPERLINK("http://evil.example")' }] });
    },
  };
}

/** One alarm that was raised three times, and one refused signature of a stranger. */
function specAlarms(): SpecAnswers {
  const alarm = {
    alarm_id: 'a1',
    kind: 'jwks_uri_changed',
    subject: 'seller acme',
    detail: { named: 'https://new.example/\u001b[2J' },
    first_at: '2026-11-21T12:00:00.000Z',
    last_at: '2026-11-21T12:00:00.000Z',
    count: 3,
  };
  const refused = {
    refusal_id: 'r1',
    code: 'request_signature_invalid',
    method: 'POST',
    path: '/mcp',
    refused_at: '2026-11-21T12:00:00.000Z',
    keyid: 'k\u001b[2J1',
    is_stranger: true,
    steps: [{ step: '10', name: 'signature', ok: false, seen: 'not by this key' }],
  };
  return {
    list_alarms: ({ query }) =>
      ok({ alarms: (query as { state?: string }).state === 'acknowledged' ? [] : [alarm] }),
    acknowledge_alarm: ({ caller, params, body }) => {
      const { reason, accept } = body as { reason: string; accept: boolean };
      return params['id'] === 'a1'
        ? ok({
            ...alarm,
            acknowledged_by: caller === 'local' ? caller : caller.name,
            reason,
            detail: { accepts: String(accept) },
          })
        : err({ code: 'NOT_FOUND', message: 'There is no such alarm.' });
    },
    list_refused_signatures: ({ query }) => {
      const { code = refused.code } = query as { code?: string };
      return ok({ refused: code === refused.code ? [refused] : [] });
    },
  };
}

/** What lifts a control waits for another person. */
const specControls: SpecAnswers = {
  set_limit: () => ok(new WaitsForApproval('c1')),
  set_organization: ({ body }) =>
    (body as { readonly four_eyes?: string }).four_eyes === 'off'
      ? ok(new WaitsForApproval('c2'))
      : err({ code: 'NOT_FOUND', message: 'No organization has this id.' }),
};

/** One open question of one seller; answered once. */
function specApprovals(): SpecAnswers {
  const question = {
    approval_id: 'a1',
    kind: 'seller',
    state: 'open',
    seller: 'acme',
    sellers: ['acme'],
    task: 'create_media_buy',
    operation_id: 'op1',
    reason: 'A purchase order number\u001b[2J is needed.',
    since: '2026-01-01T00:00:00.000Z',
    can_answer: true,
  };
  const missing = err({ code: 'NOT_FOUND', message: 'There is no question with this id.' } as const);
  return {
    list_approvals: ({ query }) => {
      const { state = 'open' } = query as { readonly state?: string };
      return ok({ approvals: state === 'open' ? [question] : [] });
    },
    answer_approval: ({ params, body }) =>
      params['id'] === 'a1'
        ? ok({ ...question, state: 'answered', can_answer: false, outcome: 'completed', ...(body as object) })
        : missing,
    dismiss_approval: ({ params, body }) => {
      const outcome = (body as { readonly reason: string }).reason;
      return params['id'] === 'a2'
        ? ok({ ...question, approval_id: 'a2', state: 'dismissed', can_answer: false, outcome })
        : missing;
    },
  };
}

/** One key of ours, which rotating follows with the next, and one signer. */
function specIdentity(requested: unknown[]): SpecAnswers {
  const at = '2026-11-21T12:00:00.000Z';
  const key = {
    kid: 'k1',
    principal: 'operator',
    signs: ['requests'],
    state: 'live',
    alg: 'ed25519',
    created_at: at,
  };
  const signer = {
    signer_id: 's1',
    principal: 'agency',
    agent_url: 'https://agency.example/mcp',
    kids: ['k9'],
    dialect: 'ads',
    allows_rsa_pss: false,
    created_at: at,
  };
  const missing = err({ code: 'NOT_FOUND', message: 'There is no principal with this name.' } as const);
  return {
    list_keys: () => ok({ keys: [key] }),
    rotate_key: ({ body }) => {
      const row = body as JsonObject;
      if (row['principal'] === 'nobody') return missing;
      return ok({ ...key, kid: 'k2', state: 'published', live_from: at, ...row });
    },
    list_signers: () => ok({ signers: [signer] }),
    add_signer: ({ params: { name = '' }, body }) => {
      const row = body as JsonObject;
      requested.push(['add_signer', name, row]);
      const { agent_url: agent, dialect, allows_rsa_pss: rsa } = row;
      if (name === 'nobody') return missing;
      return ok({ ...signer, principal: name, agent_url: agent, dialect, allows_rsa_pss: rsa });
    },
    remove_signer: ({ params: { id = '' } }) => {
      requested.push(['remove_signer', id]);
      return id === 's1' ? ok({ signer_id: id, removed: true }) : missing;
    },
  };
}
