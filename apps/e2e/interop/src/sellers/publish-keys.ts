import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { SignerKey } from '../sdk/load-sdk-server.js';
import { newKeyPair } from '../sdk/new-key-pair.js';

export interface PublishedKeys {
  readonly signerKey: SignerKey;
  readonly jwksUri: string;
  readonly brandJsonUrl: string;
  /** The agent in brand.json, once its URL is known. */
  nameAgent(url: string): void;
  readonly server: Server;
}

/** Generates a key pair for webhooks, and publishes its public half in a JWKS and the brand.json that names it. */
export async function publishKeys(keyid: string): Promise<PublishedKeys> {
  const pair = newKeyPair();
  const mark = { kid: keyid, alg: 'EdDSA', use: 'sig', key_ops: ['verify'], adcp_use: 'webhook-signing' };
  const publicJwk = { ...pair.publicJwk, ...mark };
  const privateKey = { ...pair.privateJwk, ...mark, key_ops: ['sign'] };
  let agentUrl = '';
  let origin = '';
  const server = createServer((request, response) => {
    const documents: Readonly<Record<string, unknown>> = {
      '/jwks.json': { keys: [publicJwk] },
      '/.well-known/brand.json': {
        id: keyid,
        agents: [{ type: 'sales', id: 'sales', url: agentUrl, jwks_uri: `${origin}/jwks.json` }],
      },
    };
    const found = documents[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    signerKey: { keyid, alg: 'ed25519', privateKey },
    jwksUri: `${origin}/jwks.json`,
    brandJsonUrl: `${origin}/.well-known/brand.json`,
    nameAgent: (url) => {
      agentUrl = url;
    },
    server,
  };
}
