import { publicJwk, type SigningKey } from '@switchyard/signing';
import { startServer } from '@switchyard/testing';

/** A brand's site, with its current public keys and its revoked ones. */
export interface PublishedKeys {
  readonly jwksUri: string;
  readonly agentUrl: string;
  publish(...keys: readonly SigningKey[]): void;
  revoke(...kids: readonly string[]): void;
  close(): Promise<void>;
}

export async function publishedKeys(): Promise<PublishedKeys> {
  let keys: readonly SigningKey[] = [];
  let revoked: readonly string[] = [];
  const server = await startServer((request, response) => {
    const at = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
    const documents: Readonly<Record<string, object>> = {
      '/jwks.json': { keys: keys.map((key) => publicJwk(key, ['ads_use', 'adcp_use'])) },
      '/.well-known/governance-revocations.json': {
        revoked_kids: revoked,
        // Declares a change every minute, which is the shortest polling interval.
        updated: at(0),
        next_update: at(60),
      },
    };
    const found = documents[request.url ?? ''];
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  const origin = server.url;
  return {
    jwksUri: `${origin}/jwks.json`,
    agentUrl: `${origin}/agent`,
    publish: (...published) => {
      keys = published;
    },
    revoke: (...kids) => {
      revoked = kids;
    },
    close: () => server.close(),
  };
}
