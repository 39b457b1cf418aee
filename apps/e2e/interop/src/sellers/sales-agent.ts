import {
  loadSdkServer,
  type AdcpServer,
  type EmitResult,
  type RequestedBuy,
  type HandlerContext,
  type Json,
  type WebhookEmitter,
} from '../sdk/load-sdk-server.js';
import { productsOf } from './catalogue.js';
import { publishKeys, type PublishedKeys } from './publish-keys.js';
import { enforceSignatures } from './enforce-signatures.js';
import { serveA2a } from './serve-a2a.js';
import { fullDesk } from './full-desk.js';
import { SalesBooks } from './sales-books.js';
import { reportOf, type ReportWish } from './report.js';

/**
 * A sales agent made of the public SDK's server side: its request validation, idempotency, tasks, bearer check and
 * webhook signer. Our own code is only what any seller adds: a catalogue and data.
 */
export interface SalesOptions {
  readonly slug: string;
  readonly token: string;
  readonly protocol: 'mcp' | 'a2a';
  /** A person reviews each buy: the answer is a task, and after the release a webhook reports the buy. */
  readonly asksHuman?: boolean;
  /** It books at once and withholds its answer until it is released. */
  readonly answersLate?: boolean;
  /** It offers all tasks of an SDK sales agent. */
  readonly doesAll?: boolean;
  /** How it handles requests that its schemas of 3.0.6 do not allow. Absent: refuses them, the SDK's default. */
  readonly requests?: 'strict' | 'warn';
  /** Its capabilities declare signed webhooks. */
  readonly declaresSigning?: boolean;
  /** Public keys: purchases not signed by one of them are refused, and so is all else that is no read. */
  readonly signedBy?: readonly Json[];
}

const sdk = await loadSdkServer();

/** What one sales agent answers to the test, by question. */
export type Answers = Readonly<Record<string, (given: never) => unknown>>;

function platformOf(
  { slug, asksHuman, answersLate, doesAll, declaresSigning }: SalesOptions,
  books: SalesBooks,
  released: Promise<void>,
): Json {
  return {
    capabilities: {
      specialisms: ['sales-non-guaranteed'],
      channels: ['olv'],
      pricingModels: ['cpm'],
      // The SDK accepts either its platform's billing or the server's own capabilities, never both.
      ...(declaresSigning === true ? {} : { supportedBillings: ['operator'] }),
      config: {},
    },
    accounts: {
      resolve: (ref: Json | undefined) =>
        Promise.resolve({
          id: `${slug}_house`,
          name: 'House account',
          status: 'active',
          ...ref,
          ctx_metadata: {},
        }),
    },
    sales: {
      getProducts: () => Promise.resolve({ products: productsOf(slug) }),
      createMediaBuy: async (request: RequestedBuy, context: HandlerContext) => {
        if (asksHuman === true && context.handoffToTask !== undefined) {
          return context.handoffToTask(async () => {
            await released;
            return books.newBuy(books.book(request));
          });
        }
        const buy = books.book(request);
        if (answersLate === true) await released;
        return books.newBuy(buy);
      },
      updateMediaBuy: () => Promise.reject(new Error('this seller changes nothing')),
      getMediaBuys: (request: { media_buy_ids?: readonly string[] }) =>
        Promise.resolve(books.list(request.media_buy_ids)),
      getMediaBuyDelivery: () =>
        Promise.resolve({
          currency: 'USD',
          reporting_period: { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' },
          media_buy_deliveries: [],
        }),
      ...(doesAll === true ? fullDesk(books) : {}),
    },
  };
}

async function serveMcp(
  { token, signedBy }: SalesOptions,
  createAgent: (context: { readonly taskStore: unknown }) => AdcpServer,
  createBodies: string[],
): Promise<string> {
  const refuses = signedBy === undefined ? undefined : await enforceSignatures(signedBy);
  const url = await new Promise<string>((resolve) => {
    sdk.serve(createAgent, {
      port: 0,
      authenticate: sdk.verifyApiKey({ keys: { [token]: { principal: 'the-relay' } } }),
      preTransport: async (request, response) => {
        if ((await refuses?.(request, response)) === true) return true;
        if (request.rawBody?.includes('"create_media_buy"')) createBodies.push(request.rawBody);
        return false;
      },
      onListening: resolve,
    });
  });
  return url.replace('localhost', '127.0.0.1');
}

const signing = {
  supported: true,
  profile: 'adcp/webhook-signing/v1',
  algorithms: ['ed25519'],
  legacy_hmac_fallback: true,
};

/** Opens a sales agent, with data of its own. */
export async function openSales(requested: SalesOptions): Promise<{ introduced: Json; answers: Answers }> {
  const books = new SalesBooks(requested.slug);
  const keys = await publishKeys(`${requested.slug}-webhooks-1`);
  const createBodies: string[] = [];
  const taskWebhooks: Json[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const idempotency = sdk.createIdempotencyStore({ backend: sdk.memoryBackend(), ttlSeconds: 86_400 });
  const platform = platformOf(requested, books, released);
  const options = {
    name: requested.slug,
    version: '1.0.0',
    idempotency,
    webhooks: { signerKey: keys.signerKey },
    allowPrivateWebhookUrls: true,
    resolveSessionKey: () => 'house',
    observability: { onWebhookEmit: (sent: Json) => void taskWebhooks.push(sent) },
    ...(requested.declaresSigning === true
      ? {
          capabilities: {
            overrides: { webhook_signing: signing, account: { supported_billing: ['operator'] } },
          },
        }
      : {}),
    ...(requested.requests === undefined
      ? {}
      : { validation: { requests: requested.requests, responses: 'strict' } }),
  };
  const agentUrl =
    requested.protocol === 'a2a'
      ? await serveA2a(sdk, sdk.createAdcpServerFromPlatform(platform, options), {
          name: requested.slug,
          token: requested.token,
        })
      : await serveMcp(
          requested,
          ({ taskStore }) => sdk.createAdcpServerFromPlatform(platform, { ...options, taskStore }),
          createBodies,
        );
  keys.nameAgent(agentUrl);
  return {
    introduced: { agentUrl, jwksUri: keys.jwksUri, brandJsonUrl: keys.brandJsonUrl },
    answers: {
      books: () => ({
        buys: books.buys,
        changes: books.changes,
        feedback: books.feedback,
        createCalls: createBodies.length,
        createBodies,
        taskWebhooks,
      }),
      repeatCreate: () => repeatCreate({ url: agentUrl, token: requested.token }, createBodies),
      report: reporter(books, keys),
      release: () => release(),
    },
  };
}

/** Sends the bytes of the last create_media_buy to this seller again, as a relay does after a lost answer. */
async function repeatCreate(
  endpoint: { readonly url: string; readonly token: string },
  createBodies: readonly string[],
): Promise<unknown> {
  const body = createBodies.at(-1);
  if (body === undefined) throw new Error('nobody bought anything here yet');
  const answer = await fetch(endpoint.url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${endpoint.token}`,
    },
  });
  const text = await answer.text();
  const data = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  return JSON.parse(data);
}

/** One emitter for all reports of an agent: it stores the key of each event, so that a repeated event has the same key. */
function reporter(books: SalesBooks, keys: PublishedKeys): (wish: ReportWish) => Promise<EmitResult> {
  const how = { signerKey: keys.signerKey, retries: { maxAttempts: 1 } };
  let emitter: WebhookEmitter | undefined;
  return async (wish) => {
    const buy = books.buys.find((bookedBuy) => bookedBuy.media_buy_id === wish.mediaBuyId);
    const { url, authentication: asked } = buy?.request.reporting_webhook ?? {};
    if (buy === undefined || url === undefined)
      throw new Error('no buy with a reporting webhook has this id');
    emitter ??= sdk.createWebhookEmitter(how);
    const sender = wish.tag === undefined ? emitter : sdk.createWebhookEmitter({ ...how, tag: wish.tag });
    return sender.emit({
      url,
      payload: reportOf(buy, wish),
      operation_id: wish.operationId,
      ...(asked === undefined ? {} : { authentication: { type: 'hmac_sha256', secret: asked.credentials } }),
    });
  };
}
