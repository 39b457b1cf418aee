import { Buffer } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createEgress } from '@switchyard/egress';
import type { ClaimedEvent } from '@switchyard/events';
import {
  createPublisherStatements,
  createSellerKeys,
  createSignerKeys,
  type Egress,
  type KeyedConnection,
  type SellerTarget,
} from '@switchyard/sellers';
import { startServer, type TestServer } from '@switchyard/testing';
import type { RegisteredSigner } from '@switchyard/tenancy';
import { createSellerTransport } from '@switchyard/transports';
import { ok, Secret } from '@switchyard/values';
import { postNotice } from '../notices/send-notices.js';
import { sendEvent } from '../webhooks/out/send-event.js';
import { signerQuery } from '../sellers/query-capabilities.js';
import { systemClock } from '../platform/clock.js';
import { fetchKeySet } from '../keys/issued-tokens.js';
import { forwardSealed } from '../relay/forward-sealed.js';
import { credentialSearch } from '../relay/credential-search.js';

/** One use of the real egress, and what it came to. */
interface Use {
  readonly url: string;
  readonly code: string;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

let server: TestServer;
let base: string;
/** Paths that somebody asked our server for. */
const requested: string[] = [];
/** What our server says at a path. */
const served = new Map<string, object>();
const uses: Use[] = [];
let lookups = 0;
let guarded: Egress;
let egress: Egress;

/** Names as a hostile resolver answers them. Nothing outside of this machine is ever connected to. */
const resolver = (host: string) => {
  lookups += 1;
  const inside = { address: '10.0.0.7', family: 4 };
  const outside = { address: '8.8.8.8', family: 4 };
  if (host === 'mixed.example') return Promise.resolve([outside, inside]);
  if (host === 'rebinding.example') return Promise.resolve([lookups === 1 ? outside : inside]);
  return Promise.resolve([inside]);
};

/** The real egress, with its books open. */
function observed(real: Egress): Egress {
  return {
    checkUrl: (url) => real.checkUrl(url),
    close: () => real.close(),
    request: async (request) => {
      const answer = await real.request(request);
      const { url, timeoutMs, maxBytes } = request;
      uses.push({ url, timeoutMs, maxBytes, code: answer.ok ? 'ok' : answer.error.code });
      return answer;
    },
    open: (request) => real.open(request),
    post: async (post) => {
      const reply = await real.post(post);
      uses.push({ url: post.url, code: reply.ok ? 'ok' : reply.error.code });
      return reply;
    },
    fetchLike: async (input, init) => {
      const url = input instanceof Request ? input.url : String(input);
      try {
        const answer = await real.fetchLike(input, init);
        uses.push({ url, code: 'ok' });
        return answer;
      } catch (error) {
        uses.push({ url, code: (error as { code?: string }).code ?? 'unknown' });
        throw error;
      }
    },
  };
}

beforeAll(async () => {
  server = await startServer((request, response) => {
    const path = request.url ?? '';
    requested.push(path);
    if (path.startsWith('/moved')) {
      response.writeHead(302, { location: `${base}/inside` }).end();
      return;
    }
    const body = served.get(path);
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
      .end(JSON.stringify(body ?? {}));
  });
  base = server.url;
  guarded = createEgress({ allowLoopback: true }, { resolver });
  egress = observed(guarded);
});
afterAll(async () => {
  await guarded.close();
  await server.close();
});
beforeEach(() => {
  uses.length = 0;
  requested.length = 0;
  lookups = 0;
  served.clear();
});

const signal = (): AbortSignal => AbortSignal.timeout(5_000);
const scope = { organizationId: '00000000-0000-4000-8000-000000000001' };
const agentUrl = (): string => `${base}/mcp`;
const keys = () => createSellerKeys({ egress, clock: systemClock });
const resolved = (connection: Partial<KeyedConnection>): Promise<unknown> =>
  keys().resolve({ agentUrl: agentUrl(), ...connection }, 'k1');

async function overTransport(protocol: 'mcp' | 'a2a', url: string): Promise<void> {
  const transport = createSellerTransport({ egress, connectTimeoutMs: 2_000 });
  const target: SellerTarget = {
    ...scope,
    connectionId: '00000000-0000-4000-8000-000000000002',
    agentUrl: url,
    protocol,
    dialect: 'ads',
  };
  await transport.listTools(target, signal());
  await transport.call(target, { tool: 'get_products', args: {} }, signal()).catch(() => undefined);
  await transport.close();
}

const signer = (more: Partial<RegisteredSigner>): RegisteredSigner =>
  ({
    id: 's1',
    keys: { kind: 'document', jwks: { keys: [] } },
    agentUrl: agentUrl(),
    dialect: 'ads',
    principal: { id: 'p1', organizationId: scope.organizationId },
    ...more,
  }) as unknown as RegisteredSigner;

const cardEndpoint = 'the endpoint that an agent card names';

/** Every endpoint through which an address that somebody else gave us is asked for. */
const http: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  "a seller's agent over MCP": (url) => overTransport('mcp', url),
  "a seller's agent card over A2A": (url) => overTransport('a2a', url),
  [cardEndpoint]: (url) => {
    const card = {
      protocolVersion: '0.3.0',
      name: 'x',
      description: 'x',
      version: '1',
      url,
      preferredTransport: 'JSONRPC',
      capabilities: {},
      defaultInputModes: ['application/json'],
      defaultOutputModes: ['application/json'],
      skills: [],
    };
    served.set('/.well-known/agent-card.json', card).set('/.well-known/agent.json', card);
    return overTransport('a2a', base);
  },
  'a brand.json that an admin pinned': (url) => resolved({ pinnedBrandJsonUrl: url }),
  'a brand.json that a seller declares': (url) =>
    resolved({ capabilities: { brandJsonUrl: url } as NonNullable<KeyedConnection['capabilities']> }),
  'the authoritative location in a brand.json': (url) => {
    served.set('/.well-known/brand.json', { authoritative_location: url });
    return resolved({});
  },
  'a key set that an admin pinned': (url) => resolved({ pinnedJwksUri: url }),
  'the key set that a brand.json names': (url) => {
    served.set('/.well-known/brand.json', {
      agents: [{ type: 'sales', id: 'x', url: agentUrl(), jwks_uri: url }],
    });
    return resolved({});
  },
  "a signer's key set": (url) =>
    createSignerKeys({
      egress,
      clock: systemClock,
      signers: () => Promise.resolve([signer({ keys: { kind: 'address', jwksUri: url } })]),
    }).find('k1'),
  'the agent of a signer whose keys are discovered': async (url) => {
    const transport = createSellerTransport({ egress, connectTimeoutMs: 2_000 });
    const registeredSigner = signer({ agentUrl: url, keys: { kind: 'discovered', protocol: 'mcp' } });
    await createSignerKeys({
      egress,
      clock: systemClock,
      signers: () => Promise.resolve([registeredSigner]),
      queryCapabilities: signerQuery({
        signers: { find: () => Promise.resolve(registeredSigner) },
        transport,
        clock: systemClock,
      }),
    }).find('k1');
    await transport.close();
  },
  "an issuer's key set": (url) => fetchKeySet(egress, url),
  'a webhook to a buyer': (url) =>
    sendEvent(
      {
        egress,
        clock: systemClock,
        isStopped: () => Promise.resolve(false),
        openCallback: () => Promise.resolve({ credentials: 'c'.repeat(32) }),
        signerFor: () =>
          ({ sign: () => Promise.resolve(ok({ Signature: 's', 'Signature-Input': 'i' })) }) as never,
      },
      scope,
      {
        id: 'e1',
        body: Buffer.from('{}'),
        operationId: 'op',
        registration: {
          url,
          mode: 'signed',
          envelope: 'a2a',
          profile: { dialect: 'ads', form: '3.1' },
          principalId: 'p',
        },
      } as unknown as ClaimedEvent,
      signal(),
    ),
  'an endpoint of notices': (url) =>
    postNotice(
      {
        egress,
        clock: systemClock,
        baseUrl: () => base,
        vault: {
          withSecret: async (_scope, _request, _reason, use) =>
            ok(await use(new Secret(Buffer.from(JSON.stringify({ url }))), { credentialId: '', version: 1 })),
        },
      },
      scope,
      {
        ...{ id: 'e', name: 'e', channel: 'slack', origin: '', credentialId: '', kinds: [] },
        state: 'active',
      },
      {
        id: 'd1',
        notice: {
          ...{ id: 'n1', kind: 'test', objectKind: 'endpoint', objectId: 'e' },
          ...{ data: {}, dedupeKey: '', at: 0 },
        },
      },
    ),
  'a sealed request to a seller': (url) =>
    forwardSealed(
      egress,
      { url, headers: {} } as never,
      { sealed: { headers: { forwarded: {} } as never, body: Buffer.from('{}') }, authorization: {} },
      { signal: signal(), readsOn: false, own: credentialSearch(undefined) },
    ),
};

const hostile = [
  'https://10.0.0.1/x',
  'https://172.16.0.1/x',
  'https://192.168.1.1/x',
  'https://100.64.0.1/x',
  'https://169.254.169.254/latest/meta-data',
  'https://0.0.0.0/x',
  'https://2852039166/x',
  'https://0xa9fea9fe/x',
  'https://0251.0376.0251.0376/x',
  'https://[::ffff:10.0.0.1]/x',
  'https://[fd00:ec2::254]/x',
  'https://[fe80::1]/x',
  'https://[64:ff9b::a9fe:a9fe]/x',
  'https://metadata.google.internal/x',
  'https://db.internal/x',
  'https://printer.local/x',
  'https://user:secret@seller.example/x',
  'https://10.0.0.1\\@seller.example/x',
  'http://8.8.8.8/x',
  'http://seller.example/x',
  'ftp://seller.example/x',
  'file:///etc/passwd',
  'gopher://127.0.0.1:6379/x',
  'https://inside.example/x',
  'https://mixed.example/x',
  'seller.example',
  '',
];

const refusedFor = (url: string): readonly Use[] =>
  uses.filter((use) => use.url === url || (URL.canParse(url) && use.url.startsWith(new URL(url).href)));

describe.each(Object.entries(http))('%s', (name, endpoint) => {
  it('is requested through the egress, in ten seconds at most and with a size limit', async () => {
    await Promise.resolve(endpoint(`${base}/control`)).catch(() => undefined);
    expect(requested.some((path) => path.startsWith('/control'))).toBe(true);
    expect(uses.some(({ url, code }) => url.startsWith(`${base}/control`) && code === 'ok')).toBe(true);
    for (const { timeoutMs = 0, maxBytes = 0 } of uses) {
      expect(timeoutMs).toBeLessThanOrEqual(10_000);
      expect(maxBytes).toBeLessThanOrEqual(1024 * 1024);
    }
  });

  it.each(hostile)('refuses %s', async (url) => {
    await Promise.resolve()
      .then(() => endpoint(url))
      .catch(() => undefined);
    for (const use of refusedFor(url)) expect(use.code).toMatch(/^blocked_/);
    // Nothing went anywhere but to our own server, for what the endpoint begins with.
    for (const use of uses.filter(({ code }) => !code.startsWith('blocked_')))
      expect(use.url).toContain(base);
  });

  it('refuses a name that was outside when it was checked and is inside when it is used', async () => {
    const url = 'https://rebinding.example/x';
    expect(await guarded.checkUrl(url)).toMatchObject({ ok: true });
    await Promise.resolve(endpoint(url)).catch(() => undefined);
    const used = refusedFor(url);
    expect(used.map(({ code }) => code)).toEqual(used.map(() => 'blocked_address'));
    // A card that sends us to another origin than its own is not followed at all.
    expect(used.length > 0).toBe(name !== cardEndpoint);
  });

  it('follows no redirect', async () => {
    await Promise.resolve(endpoint(`${base}/moved`)).catch(() => undefined);
    expect(requested).toContainEqual(expect.stringMatching(/^\/moved/));
    expect(requested.filter((path) => path.startsWith('/inside'))).toEqual([]);
  });
});

const publisher = 'a-publisher.com';

/** The same egress, where this one publisher answers, and says that another document speaks for it. */
function pointing(to: string): Egress {
  const body = Buffer.from(JSON.stringify({ authoritative_location: to }));
  return {
    ...egress,
    request: (request) =>
      new URL(request.url).hostname === publisher
        ? Promise.resolve(ok({ status: 200, headers: {}, body }))
        : egress.request(request),
  };
}

/** Endpoints whose address is made of a host that somebody else gave us. */
const hostEndpoints: Readonly<Record<string, (host: string) => Promise<unknown>>> = {
  "a publisher's adagents.json": (host) =>
    resolved({
      capabilities: { publisherDomains: [host] } as unknown as NonNullable<KeyedConnection['capabilities']>,
    }),
  "a publisher's word on its sellers": (host) =>
    createPublisherStatements({ egress, clock: systemClock }).of([host], 5_000),
  'the document that speaks for a publisher': (host) =>
    createPublisherStatements({ egress: pointing(`https://${host}/adagents.json`), clock: systemClock }).of(
      [publisher],
      5_000,
    ),
  'the brand.json of a house': (house) => {
    served.set('/.well-known/brand.json', { house });
    return resolved({});
  },
  'the revoked keys of a seller': (host) =>
    keys()
      .revocationsOf({ agentUrl: agentUrl(), pinnedBrandJsonUrl: `https://${host}/brand.json` })
      .status('k1', agentUrl()),
  'the revoked keys of a signer': (host) =>
    createSignerKeys({ egress, clock: systemClock, signers: () => Promise.resolve([]) }).status(
      signer({ agentUrl: `https://${host}/mcp` }),
      'k1',
    ),
};

describe.each(Object.entries(hostEndpoints))('%s', (_name, endpoint) => {
  it.each([
    '10.0.0.1',
    '169.254.169.254',
    '0xa9fea9fe',
    '2852039166',
    '[::ffff:10.0.0.1]',
    '[fd00:ec2::254]',
    'metadata.google.internal',
    'db.internal',
    'printer.local',
    'user@10.0.0.1',
    'mixed.example',
    'inside.example:8443',
    'inside.example@10.0.0.1',
    '10.0.0.1/x?',
    '',
  ])('refuses the host %s', async (host) => {
    await Promise.resolve()
      .then(() => endpoint(host))
      .catch(() => undefined);
    for (const { url, code } of uses.filter((use) => !use.url.startsWith(base)))
      expect([url, code]).toEqual([url, expect.stringMatching(/^blocked_/)]);
  });

  it('refuses an outside name that resolves inside, by a request through the egress', async () => {
    await endpoint('inside-seller.com');
    const used = uses.filter(({ url }) => url.startsWith('https://inside-seller.com/'));
    expect(used.length).toBeGreaterThan(0);
    expect(new Set(used.map(({ code }) => code))).toEqual(new Set(['blocked_address']));
  });
});

/**
 * Requests to what the operator has set, where a private address is the usual one. Besides it, libraries connect to the
 * database, Redis, AWS KMS, the mail server and the collector of traces.
 */
const operators: readonly string[] = ['libs/adapters/kms/src/send-json.ts'];

describe('the list above', () => {
  it('contains all endpoints: no other code of the server or the libraries uses the network', () => {
    const root = join(dirname(fileURLToPath(import.meta.url)), '../../../..');
    const outward =
      /(?<![.\w#])fetch\(|from '(?:undici|node:https|node:http2|axios|got)'|\b(?:http|https)\.(?:get|request)\(|\btls\.connect\(/;
    const found = ['apps/server/src', 'libs/domain', 'libs/adapters']
      .flatMap((folder) => sourcesBelow(join(root, folder)))
      .filter((file) => outward.test(withoutComments(readFileSync(file, 'utf8'))))
      .map((file) => relative(root, file))
      .filter((file) => !file.startsWith('libs/adapters/egress/'));
    expect(found).toEqual(operators);
  });
});

function sourcesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => file.includes('/src/') && !/\/(?:dist|generated|node_modules)\//.test(file))
    .filter((file) => !/\.spec\.ts$|\/testkit\//.test(file));
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}
