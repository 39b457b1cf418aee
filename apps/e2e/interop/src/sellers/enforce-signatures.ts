import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Json } from '../sdk/load-sdk-server.js';
import { loadSdkSigning, type ExpressRequest, type ExpressResponse } from '../sdk/load-sdk-signing.js';

type Gate = (request: IncomingMessage & { rawBody?: string }, response: ServerResponse) => Promise<boolean>;

/** The public SDK's verifier in front of its own server: unsigned or wrongly signed buys are refused. */
export async function enforceSignatures(keys: readonly Json[]): Promise<Gate> {
  const sdk = await loadSdkSigning();
  const verify = sdk.createExpressVerifier({
    capability: { supported: true, covers_content_digest: 'required', required_for: ['create_media_buy'] },
    jwks: new sdk.StaticJwksResolver(keys),
    replayStore: new sdk.InMemoryReplayStore(),
    revocationStore: new sdk.InMemoryRevocationStore(),
    resolveOperation: ({ rawBody }) => operationIn(rawBody ?? ''),
    getUrl: ({ headers, url }) => `http://${String(headers['host'])}${url}`,
  });
  return async (request, response) => {
    let passed = false;
    await verify(request as ExpressRequest, expressOf(response), (error) => {
      passed = error === undefined;
    });
    return !passed;
  };
}

const unsigned =
  /"initialize"|"tools\/list"|"notifications\/|get_adcp_capabilities|"(?:get_products|get_media_buys|list_accounts)"/;

/** Searches the text: what is not surely a read counts as a purchase. The gate reads products and buys without a signature. */
function operationIn(text: string): string | undefined {
  return unsigned.test(text) && !text.includes('create_media_buy') ? undefined : 'create_media_buy';
}

function expressOf(response: ServerResponse): ExpressResponse {
  return {
    status: (code) => ({
      set: (name, value) => ({
        json: (body) => {
          response.writeHead(code, { [name]: value, 'content-type': 'application/json' });
          response.end(JSON.stringify(body));
        },
      }),
    }),
  };
}
