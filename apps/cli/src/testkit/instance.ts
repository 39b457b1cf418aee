import { createHash } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type ServerPorts, type TaskCall, type TaskReply } from '@switchyard/server';
import { err, ok, type JsonObject } from '@switchyard/values';
import { ensureAdminSecret } from '../instance-files.js';
import { specAccounts } from './accounts.js';
import { specAdmin, type SpecTruth } from './admin.js';
import { specAlarms } from './alarms.js';
import { specApprovals } from './approvals.js';
import { specAudit } from './audit.js';
import { specEvents } from './events.js';
import { specIdentity } from './identity.js';
import { specPrincipals } from './principals.js';
import { specRunRoute } from './run-route.js';
import { specRelay } from './relay.js';

/** For the specs of the command line: a real server on loopback with a small application, and its data folder. */
export interface SpecInstance extends SpecTruth {
  readonly dataFolder: string;
  readonly token: string;
  readonly calls: TaskCall[];
  readonly secrets: string[];
  /** What was asked of the principals, call by call. */
  readonly asked: unknown[];
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

export async function specInstance(): Promise<SpecInstance> {
  const text = `sy_${'A'.repeat(43)}`;
  const dataFolder = mkdtempSync(join(tmpdir(), 'switchyard-cli-'));
  const calls: TaskCall[] = [];
  const secrets: string[] = [];
  const asked: unknown[] = [];
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
      publishedKeys: () => Promise.resolve([]),
      publishedHeads: () => Promise.resolve([]),
      changes: specChanges,
      runRoute: specRunRoute({
        ...specAccounts(),
        ...specAdmin(text, secrets, instance),
        ...specAlarms(),
        ...specApprovals(),
        ...specAudit(),
        ...specEvents(),
        ...specIdentity(asked),
        ...specPrincipals(asked),
        ...specRelay,
        preview_buy: 'example',
      }),
      recordAct: (_route, _request, run) => run(),
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
  });
  if (!server.ok) throw new Error(server.error.message);
  const note = { pid: process.pid, url: server.value.url };
  writeFileSync(join(dataFolder, 'instance.json'), JSON.stringify(note));
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
