import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase, startReceiver } from '@switchyard/testing';
import { must, type JsonObject } from '@switchyard/values';
import pg from 'pg';
import { openQuietly } from './open-quietly.js';
import { callAtEndpoint, type CoveredEndpoint } from './task-endpoints.js';
import { openSlowSellers, slowSellers, type SlowSellers } from './slow-sellers.js';

/** The whole product on PostgreSQL, with sellers that answer later. */
export interface LaterStage {
  readonly sellers: SlowSellers;
  /** The URL of the endpoints, and the buyer's token. */
  at(): { readonly url: string; readonly token: string };
  call(task: string, args: JsonObject, endpoint?: CoveredEndpoint): Promise<JsonObject>;
  callAsOther(task: string, args: JsonObject): Promise<JsonObject>;
  callAsNobody(task: string, args: JsonObject): Promise<JsonObject>;
  /** Creates a buyer and returns its token, with the default permissions or with these. */
  addBuyer(name: string, permissions?: JsonObject): Promise<string>;
  /** Returns another token of a principal, with at most these permissions. */
  addToken(name: string, permissions: JsonObject): Promise<string>;
  /** Calls a native A2A method, and returns the result. */
  rpc(generation: '0.3' | '1.0', method: keyof typeof methods, params: JsonObject): Promise<JsonObject>;
  /** Makes all open legs due, so that their sellers are polled now. */
  due(): Promise<void>;
  /** Moves all stored times of operations into the past by that many hours. */
  age(hours: number): Promise<void>;
  /** Stops the product's process, and starts another one on the same data. */
  restart(): Promise<void>;
  /** Returns the number of rows in a table. */
  count(table: 'operation' | 'leg' | 'webhook_registration'): Promise<number>;
  /** Returns everything that is stored about operations, as text. */
  stored(): Promise<string>;
  /** The buyer's webhook URL, and the webhooks that it received. */
  readonly callback: string;
  updates(): readonly JsonObject[];
  close(): Promise<void>;
}

const methods = {
  send: { '0.3': 'message/send', '1.0': 'SendMessage' },
  get: { '0.3': 'tasks/get', '1.0': 'GetTask' },
  list: { '0.3': 'tasks/list', '1.0': 'ListTasks' },
  cancel: { '0.3': 'tasks/cancel', '1.0': 'CancelTask' },
} as const;

export async function openLater(): Promise<LaterStage> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-later-'));
  const sellers = await openSlowSellers();
  const buyer = await startReceiver();
  const start = () => openQuietly(database, dataDir);
  let switchyard = await start();
  const imported = must(
    await switchyard.admin.importSellers(
      switchyard.operator,
      slowSellers.map(({ slug, form, wire }) => ({
        slug,
        form,
        dialect: 'adcp',
        protocol: wire,
        agentUrl: sellers.urlOf(slug),
      })),
    ),
  );
  const failed = imported.filter(({ state }) => state !== 'live');
  if (failed.length > 0) throw new Error(JSON.stringify(failed));
  const token = await switchyard.issueToken();
  const at = () => ({ url: switchyard.url, token });
  const other = await principalToken(at(), 'principals', { name: 'another buyer', kind: 'buyer' });
  const sql = async (text: string, values: readonly unknown[] = []) => {
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    const { rows } = await client.query<Record<string, unknown>>(text, [...values]);
    await client.end();
    return rows;
  };
  return {
    sellers,
    at,
    call: (task, args, endpoint = 'rest') => callAtEndpoint(endpoint, at(), task, args),
    callAsOther: (task, args) => callAtEndpoint('rest', { ...at(), token: other }, task, args),
    addBuyer: (name, permissions) =>
      principalToken(at(), 'principals', { name, kind: 'buyer', ...(permissions && { permissions }) }),
    addToken: (name, permissions) => principalToken(at(), `principals/${name}/tokens`, { permissions }),
    callAsNobody: async (task, args) => {
      const answer = await fetch(`${switchyard.url}/v1/tasks/${task}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(args),
      });
      return (await answer.json()) as JsonObject;
    },
    rpc: async (generation, method, params) => {
      const answer = await fetch(`${switchyard.url}/a2a`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${token}`,
          'a2a-version': generation,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: methods[method][generation], params }),
      });
      const reported = (await answer.json()) as { readonly result?: JsonObject; readonly error?: JsonObject };
      return reported.result ?? reported.error ?? {};
    },
    due: async () => {
      await sql(`update leg set next_poll_at = now() where status in ('submitted', 'working')`);
    },
    age: async (hours) => {
      const by = [`${hours} hours`];
      await sql(
        'update leg set created_at = created_at - $1::interval, next_poll_at = next_poll_at - $1::interval',
        by,
      );
      await sql(
        'update operation set created_at = created_at - $1::interval, settled_at = settled_at - $1::interval',
        by,
      );
    },
    restart: async () => {
      await switchyard.close();
      switchyard = await start();
    },
    count: async (table) => {
      const [row] = await sql(`select count(*) as n from ${table}`);
      return Number(row?.['n']);
    },
    stored: async () =>
      JSON.stringify([await sql('select * from operation'), await sql('select * from leg')]),
    callback: `${buyer.url}/news`,
    updates: () => buyer.received.map(({ body }) => body),
    close: async () => {
      await switchyard.close();
      await sellers.close();
      await buyer.close();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Sends a request about principals to the admin routes, and returns the token in the answer. */
async function principalToken(
  at: { readonly url: string; readonly token: string },
  path: string,
  requested: JsonObject,
): Promise<string> {
  const answer = await fetch(`${at.url}/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${at.token}` },
    body: JSON.stringify(requested),
  });
  const { token } = (await answer.json()) as { readonly token?: string };
  if (token === undefined) throw new Error(`No token came of ${path}: ${answer.status}`);
  return token;
}
