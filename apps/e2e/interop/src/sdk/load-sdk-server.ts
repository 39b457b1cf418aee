import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

/** The part of the public SDK's server side that these tests use, with our own types (see `load-sdk.ts`). */
export type Json = Readonly<Record<string, unknown>>;

export interface RequestedPackage {
  readonly product_id: string;
  readonly pricing_option_id: string;
  readonly budget: number;
}

export interface RequestedBuy {
  readonly idempotency_key: string;
  readonly account: Json;
  readonly packages: readonly RequestedPackage[];
  readonly start_time: string;
  readonly end_time: string;
  readonly context?: Json;
  readonly reporting_webhook?: {
    readonly url: string;
    readonly reporting_frequency?: string;
    /** Set if the buyer is configured for a seller that does not sign. */
    readonly authentication?: { readonly schemes: readonly string[]; readonly credentials: string };
  };
  readonly push_notification_config?: { readonly url: string };
}

/** A handler's second argument. */
export interface HandlerContext {
  /** Makes the answer a task: `work` continues, and its result is sent to the buyer's webhook. */
  handoffToTask?<T>(work: () => Promise<T>): T;
}

export interface EmitResult {
  readonly delivered: boolean;
  readonly final_status?: number;
  readonly attempts: number;
  readonly errors: readonly string[];
}

export interface WebhookEmitter {
  emit(webhook: {
    readonly url: string;
    readonly payload: Json;
    readonly operation_id: string;
    /** A legacy mode instead of the signature. */
    readonly authentication?: { readonly type: 'hmac_sha256'; readonly secret: string };
  }): Promise<EmitResult>;
}

export interface SignerKey {
  readonly keyid: string;
  readonly alg: 'ed25519';
  readonly privateKey: Json;
}

export interface AdcpServer {
  readonly __server: never;
}

interface CommonOptions {
  readonly name: string;
  readonly version: string;
  readonly taskStore?: unknown;
  readonly idempotency: unknown;
  readonly webhooks?: { readonly signerKey: SignerKey };
  readonly resolveSessionKey: () => string;
  readonly [option: string]: unknown;
}

export interface SdkServer {
  createAdcpServerFromPlatform(platform: Json, options: CommonOptions): AdcpServer;
  createIdempotencyStore(options: { readonly backend: unknown; readonly ttlSeconds: number }): unknown;
  memoryBackend(): unknown;
  createWebhookEmitter(options: {
    readonly signerKey: SignerKey;
    readonly tag?: string;
    readonly retries?: { readonly maxAttempts: number };
  }): WebhookEmitter;
  verifyApiKey(options: { readonly keys: Json }): unknown;
  /** Serves the same server over A2A 0.3, as handlers for an Express application. */
  createA2AAdapter(options: {
    readonly server: AdcpServer;
    readonly authenticate: (request: IncomingMessage) => Promise<Json | null>;
    readonly agentCard: Json;
  }): { mount(app: ExpressApp): void };
  serve(
    createAgent: (context: { readonly taskStore: unknown }) => AdcpServer,
    options: {
      readonly port: number;
      readonly authenticate: unknown;
      readonly taskStore?: unknown;
      readonly preTransport?: (
        request: IncomingMessage & { rawBody?: string },
        response: ServerResponse,
      ) => Promise<boolean>;
      readonly onListening: (url: string) => void;
    },
  ): Server;
}

interface ExpressApp {
  use(handler: unknown): void;
  listen(port: number, host: string, done: () => void): Server;
}

interface SdkHandlerServer {
  readonly createAdcpServer: (options: CommonOptions) => AdcpServer;
}

const serverName = ['@adcp', 'sdk', 'server'].join('/');

export async function loadSdkServer(): Promise<SdkServer> {
  return (await import(serverName)) as SdkServer;
}

/** The framework that its A2A adapter requires, and that is installed with it. */
export function loadExpress(): () => ExpressApp {
  const ours = createRequire(import.meta.url);
  const its = createRequire(ours.resolve('@a2a-js/sdk/server/express'));
  return its('express') as () => ExpressApp;
}

/** The older of its two server interfaces: a set of handlers. */
export async function loadSdkHandlerServer(): Promise<SdkHandlerServer> {
  return (await import(`${serverName}/legacy/v5`)) as SdkHandlerServer;
}
