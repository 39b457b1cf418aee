import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestDatabase } from '@switchyard/testing';
import { type JsonObject } from '@switchyard/values';
import pg from 'pg';
import { openQuietly } from './open-quietly.js';
import { product } from './product.js';
import { callAtEndpoint } from './task-endpoints.js';
import { openRecordingSellers, recordingSellers } from './recording-sellers.js';

/** A seller's products: these ids, an answer that comes later, or no answer. */
type Offer = readonly string[] | 'later' | 'never';

/** The whole product with a 3.1 and a 3.0 seller whose products change while a buyer pages. */
export interface PagesStage {
  offer(offers: Readonly<Record<'v31' | 'v30', Offer>>): void;
  call(task: string, args: JsonObject): Promise<JsonObject>;
  callAsOther(task: string, args: JsonObject): Promise<JsonObject>;
  /** Returns the number of product requests to sellers. */
  calls(): number;
  lastArgs(seller: string): JsonObject;
  /** Moves stored answers half an hour into the past. */
  expireAnswers(): Promise<void>;
  close(): Promise<void>;
}

const slugs: readonly string[] = ['v31', 'v30'];

export async function openPages(): Promise<PagesStage> {
  const database = await createTestDatabase();
  const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-pages-'));
  let offers: Readonly<Record<string, Offer>> = {};
  const received: { readonly seller: string; readonly args: JsonObject }[] = [];
  const sellers = await openRecordingSellers(
    () => ['get_adcp_capabilities', 'get_products', 'get_signals'],
    ({ slug, form }, tool, args) => {
      if (tool === 'get_adcp_capabilities') return capabilities(form);
      received.push({ seller: slug, args });
      const offer = offers[slug] ?? [];
      if (offer === 'never') return 'never';
      if (offer === 'later') return { status: 'submitted', task_id: `task of ${slug}` };
      return tool === 'get_products' ? { products: offer.map(product) } : { signals: [] };
    },
  );
  const switchyard = await openQuietly(database, dataDir);
  const imported = await switchyard.admin.importSellers(
    switchyard.operator,
    recordingSellers
      .filter(({ slug }) => slugs.includes(slug))
      .map(({ slug, form, dialect }) => ({
        slug,
        form,
        dialect,
        protocol: 'mcp',
        agentUrl: sellers.urlOf(slug),
      })),
  );
  if (!imported.ok) throw new Error(imported.error.message);
  const at = { url: switchyard.url, token: await switchyard.issueToken() };
  const other = { url: switchyard.url, token: await addBuyer(at) };
  return {
    offer: (next) => {
      offers = next;
    },
    call: (task, args) => callAtEndpoint('rest', at, task, args),
    callAsOther: (task, args) => callAtEndpoint('rest', other, task, args),
    calls: () => received.length,
    lastArgs: (seller) => received.filter((item) => item.seller === seller).at(-1)?.args ?? {},
    expireAnswers: async () => {
      const client = new pg.Client({ connectionString: database.ownerUrl });
      await client.connect();
      await client.query(`update stored_answer set expires_at = expires_at - interval '31 minutes'`);
      await client.end();
    },
    close: async () => {
      await switchyard.close();
      await sellers.close();
      await database.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates a second buyer of the same organization, and returns its token. */
async function addBuyer(at: { readonly url: string; readonly token: string }): Promise<string> {
  const answer = await fetch(`${at.url}/v1/principals`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${at.token}` },
    body: JSON.stringify({ name: 'another buyer', kind: 'buyer' }),
  });
  const { token } = (await answer.json()) as { readonly token?: string };
  if (token === undefined) throw new Error(`No buyer was added: ${answer.status}`);
  return token;
}

function capabilities(form: string): JsonObject {
  return {
    adcp: {
      major_versions: [3],
      ...(form === '3.1' ? { supported_versions: ['3.1'] } : {}),
      idempotency: { supported: true, replay_ttl_seconds: 86_400 },
    },
    supported_protocols: ['media_buy', 'signals'],
  };
}
