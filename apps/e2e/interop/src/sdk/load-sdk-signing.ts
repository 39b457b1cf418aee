import type { Json } from './load-sdk-server.js';

/** The public SDK's functions to sign and verify requests, with our own types (see `load-sdk.ts`). */
interface SdkSigning {
  signRequest(
    request: {
      readonly method: string;
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
    },
    key: { readonly keyid: string; readonly alg: 'ed25519'; readonly privateKey: Json },
    options: { readonly coverContentDigest: true },
  ): { readonly headers: Readonly<Record<string, string>> };
  createExpressVerifier(options: {
    readonly capability: {
      readonly supported: true;
      readonly covers_content_digest: 'required';
      readonly required_for: readonly string[];
    };
    readonly jwks: unknown;
    readonly replayStore: unknown;
    readonly revocationStore: unknown;
    readonly resolveOperation: (request: { readonly rawBody?: string }) => string | undefined;
    readonly getUrl: (request: ExpressRequest) => string;
  }): (request: ExpressRequest, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void>;
  readonly StaticJwksResolver: new (keys: readonly Json[]) => unknown;
  readonly InMemoryReplayStore: new () => unknown;
  readonly InMemoryRevocationStore: new () => unknown;
}

export interface ExpressRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody?: string;
}

export interface ExpressResponse {
  status(code: number): { set(name: string, value: string): { json(body: unknown): void } };
}

const signingName = ['@adcp', 'sdk', 'signing'].join('/');

export async function loadSdkSigning(): Promise<SdkSigning> {
  return (await import(signingName)) as SdkSigning;
}
