import { startChild } from '../child-calls.js';
import type { Json } from '../sdk/load-sdk-server.js';

/** One signed request, with the exact headers and bytes. */
export interface Sealed {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface ThirdPartyBrand {
  readonly publicJwk: Json;
  /** Signs a request for a seller's URL. */
  seal(url: string, body: string): Promise<Sealed>;
  stop(): Promise<void>;
}

/** A brand whose agent is made with the public SDK's request signer. */
export async function startBrand(): Promise<ThirdPartyBrand> {
  const child = startChild('brand/brand-process.js');
  const { publicJwk } = await child.request<{ publicJwk: Json }>('open');
  return {
    publicJwk,
    seal: async (url, body) => {
      const signed = await child.request<Record<string, string>>('sign', { url, body });
      return { headers: { 'content-type': 'application/json', ...lowered(signed) }, body };
    },
    stop: () => child.stop(),
  };
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
