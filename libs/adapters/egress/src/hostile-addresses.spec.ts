import { createServer, type Server } from 'node:http';
import { createServer as createTcpServer, isIPv4, type AddressInfo } from 'node:net';
import type { Egress, EgressPolicy } from '@switchyard/sellers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createEgress, type EgressOptions } from './create-egress.js';

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const thing of opened.splice(0).reverse()) await thing.close();
});

function egress(policy: EgressPolicy, options: EgressOptions = {}): Egress {
  const made = createEgress(policy, options);
  opened.push(made);
  return made;
}

/** Addresses inside, by what is there. Each is tried as a literal in every spelling, and as what a name resolves to. */
const inside4 = [
  '0.0.0.0',
  '0.1.2.3',
  '10.0.0.1',
  '10.255.255.255',
  '100.64.0.1',
  '100.100.100.200',
  '100.127.255.255',
  '127.0.0.1',
  '127.0.0.53',
  '127.255.255.254',
  '168.63.129.16',
  '169.254.0.1',
  '169.254.169.254',
  '169.254.170.2',
  '169.254.169.123',
  '172.16.0.1',
  '172.31.255.255',
  '192.0.0.1',
  '192.0.0.192',
  '192.0.2.1',
  '192.88.99.1',
  '192.168.0.1',
  '192.168.255.255',
  '198.18.0.1',
  '198.19.255.255',
  '198.51.100.1',
  '203.0.113.1',
  '224.0.0.1',
  '239.255.255.255',
  '240.0.0.1',
  '255.255.255.255',
];

const inside6 = [
  '::',
  '::1',
  '::7f00:1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '::ffff:a9fe:a9fe',
  '::ffff:8.8.8.8',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a9fe:a9fe',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2001:0:7f00:1::',
  '2001:10::1',
  '2001:20::1',
  '2001:db8::1',
  '2002:7f00:1::1',
  '2002:a9fe:a9fe::',
  '2002:a00:1::',
  '3fff::1',
  '5f00::1',
  'fc00::1',
  'fd00::1',
  'fd00:ec2::254',
  'fdff:ffff::1',
  'fe80::1',
  'febf::1',
  'fec0::1',
  'feff::1',
  'ff02::1',
  'ff0e::1',
  '0:0:0:0:0:0:0:1',
  '0000:0000:0000:0000:0000:0000:0000:0001',
  '4000::1',
  'e000::1',
];

const names = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'a.b.localhost',
  'metadata',
  'metadata.',
  'METADATA',
  'metadata.google.internal',
  'metadata.google.internal.',
  'Metadata.Google.Internal',
  'metadata.packet.net',
  'internal',
  'db.internal',
  'a.b.internal.',
  'printer.local',
  'printer.local.',
  'instance-data.ec2.internal',
];

/** Texts that are no address of a seller, whatever a lenient parser makes of them. */
const junk = [
  '',
  ' ',
  'https:',
  'https:/',
  'https://',
  'https:///',
  'https:///etc/passwd',
  'https://?a=1',
  'https://#a',
  'https://:443/',
  '//seller.example/',
  '/mcp',
  'mcp',
  'seller.example',
  'https:seller.example',
  'https:/seller.example',
  'https:\\\\seller.example\\',
  'https:/\\seller.example',
  'https://seller.example\\@127.0.0.1/',
  'https://127.0.0.1\\@seller.example/',
  'https://user@seller.example/',
  'https://user:pass@seller.example/',
  'https://@seller.example/',
  'https://:@seller.example/',
  'https://seller.example@127.0.0.1/',
  'https://127.0.0.1@seller.example/',
  'https://127.0.0.1%40seller.example/',
  'https://seller.example:-1/',
  'https://seller.example:65536/',
  'https://seller.example:443:80/',
  'https://seller.example:a/',
  'https://[::1/',
  'https://::1/',
  'https://[::1]]/',
  'https://[]/',
  'https://[:::]/',
  'https://[fe80::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://[v1.a]/',
  'https://seller .example/',
  'https://seller\u0000.example/',
  'https://seller.example/\u0000',
  'https://seller.example/a b',
  'https://seller.example/a\r\nHost: 127.0.0.1',
  'https://seller.example/\u007f',
  'https://seller.example/\u{1F4A9}',
  '\u0000https://seller.example/',
  ' https://seller.example/',
  'https://%00/',
  'https://%zz/',
  'https://a%2fb/',
  'https://a<b/',
  'https://a|b/',
  'https://xn--/',
  'https://256.256.256.256/',
  'https://1.2.3.4.5/',
  'https://0x100000000/',
  'https://4294967296/',
  'https://127.0.0.256/',
  'https://09.0.0.1/',
];

const schemes = [
  'http://seller.example/',
  'HTTP://seller.example/',
  'http://8.8.8.8/',
  'http://[2606:4700::1111]/',
  'ftp://seller.example/',
  'file:///etc/passwd',
  'file://localhost/etc/passwd',
  'gopher://seller.example/',
  'dict://127.0.0.1:11211/',
  'ldap://127.0.0.1/',
  'data:text/plain,x',
  'javascript:alert(1)',
  'ws://seller.example/',
  'wss://seller.example/',
  'unix:/var/run/docker.sock',
  'blob:https://seller.example/1',
  'jar:https://seller.example/',
  'about:blank',
  'mailto:a@seller.example',
  'ssh://127.0.0.1/',
];

/** Every way of writing an IPv4 address that some library reads. */
function spellings(address: string): readonly string[] {
  const parts = address.split('.').map(Number);
  const [a = 0, b = 0, c = 0, d = 0] = parts;
  const number = ((a * 256 + b) * 256 + c) * 256 + d;
  const full = Array.from(address, (one) =>
    one === '.' ? '\u3002' : String.fromCodePoint(one.charCodeAt(0) + 0xfee0),
  ).join('');
  return [
    address,
    `${address}.`,
    String(number),
    `0x${number.toString(16)}`,
    `0${number.toString(8)}`,
    parts.map((part) => `0x${part.toString(16)}`).join('.'),
    parts.map((part) => `0${part.toString(8)}`).join('.'),
    `${a}.${b}.${c * 256 + d}`,
    `${a}.${(b * 256 + c) * 256 + d}`,
    full,
    address.replace('.', '%2e'),
    `[::ffff:${address}]`,
    `[::${address}]`,
    `[64:ff9b::${address}]`,
  ];
}

const literals = [
  ...inside4.flatMap(spellings),
  ...inside6.map((address) => `[${address}]`),
  ...inside6.map((address) => `[${address.toUpperCase()}]`),
].map((host) => `https://${host}/`);
const table = [
  ...literals,
  ...literals.slice(0, 100).map((url) => url.replace(/\/$/, ':8443/latest/meta-data?a=1')),
  ...names.map((host) => `https://${host}/`),
  ...junk,
  ...schemes,
];

describe('hostile addresses', () => {
  it('are at least three hundred', () => {
    expect(new Set(table).size).toBeGreaterThanOrEqual(300);
  });

  it.each([
    ['literals in every spelling', literals],
    ['literals with a port, a path and a query', table.slice(literals.length, literals.length + 100)],
    ['names that are inside', names.map((host) => `https://${host}/`)],
    ['junk', junk],
    ['schemes', schemes],
  ])('are refused by each of the three endpoints without a lookup: %s', async (_what, urls) => {
    const requested: string[] = [];
    const client = egress(
      { allowLoopback: false },
      {
        resolver: (host) => {
          requested.push(host);
          return Promise.resolve([{ address: '8.8.8.8', family: 4 }]);
        },
      },
    );
    for (const url of urls) {
      const refused = { ok: false, error: { code: expect.stringMatching(/^blocked_/), delivered: 'no' } };
      expect([url, await client.checkUrl(url)]).toEqual([url, expect.objectContaining({ ok: false })]);
      const answer = await client.request({ method: 'GET', url, maxBytes: 10, timeoutMs: 1_000 });
      expect([url, answer]).toMatchObject([url, refused]);
      await expect(client.fetchLike(url)).rejects.toThrow();
    }
    expect(requested).toEqual([]);
  });

  it('are all refused in the local profile too, except loopback', async () => {
    const client = egress(
      { allowLoopback: true },
      { resolver: () => Promise.resolve([{ address: '8.8.8.8', family: 4 }]) },
    );
    const notLoopback = inside4.filter((address) => !address.startsWith('127.')).flatMap(spellings);
    for (const host of [
      ...notLoopback,
      ...inside6.filter((address) => !/^[0:]*1$/.test(address)).map((a) => `[${a}]`),
    ]) {
      for (const scheme of ['http', 'https']) {
        const url = `${scheme}://${host}/`;
        expect([url, (await client.checkUrl(url)).ok]).toEqual([url, false]);
      }
    }
  });

  it.each([...inside4, ...inside6.filter((address) => address !== '::ffff:0:127.0.0.1')])(
    'a name that resolves to %s, alone or among others, is refused before a connection',
    async (address) => {
      const inside = { address, family: isIPv4(address) ? 4 : 6 };
      const outside = { address: '8.8.8.8', family: 4 };
      for (const addresses of [[inside], [outside, inside], [inside, outside]]) {
        const client = egress({ allowLoopback: false }, { resolver: () => Promise.resolve(addresses) });
        const url = 'https://seller.example/';
        expect(await client.checkUrl(url)).toMatchObject({ ok: false, error: { code: 'blocked_address' } });
        expect(await client.request({ method: 'POST', url, maxBytes: 10, timeoutMs: 1_000 })).toMatchObject({
          ok: false,
          error: { code: 'blocked_address', delivered: 'no' },
        });
      }
    },
  );
});

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push({ close: () => server.close() });
  return (server.address() as AddressInfo).port;
}

describe('hostile servers', () => {
  it('a name that resolves inside every second time never gets a connection', async () => {
    let connections = 0;
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.destroy();
    });
    const port = await listening(server);
    let lookups = 0;
    const resolver = () => {
      lookups += 1;
      return Promise.resolve([{ address: lookups % 2 === 1 ? '8.8.8.8' : '127.0.0.1', family: 4 }]);
    };
    const client = egress({ allowLoopback: false }, { resolver });
    for (let round = 0; round < 20; round += 1) {
      const url = `https://rebinding.example:${port}/`;
      // Looked up when it is checked (outside), and again when it is used (inside).
      expect(await client.checkUrl(url)).toEqual({ ok: true, value: undefined });
      expect(await client.request({ method: 'POST', url, maxBytes: 10, timeoutMs: 1_000 })).toMatchObject({
        ok: false,
        error: { code: 'blocked_address', delivered: 'no' },
      });
    }
    expect([lookups, connections]).toEqual([40, 0]);
  });

  it.each([301, 302, 303, 307, 308])(
    'a redirect with %i, to any address, is not followed',
    async (status) => {
      const targets = [
        'http://169.254.169.254/',
        'https://seller.example/',
        '/',
        '//127.0.0.1/',
        'file:///etc/passwd',
      ];
      let requests = 0;
      const server = createServer((_request, response) => {
        response.writeHead(status, { location: targets[requests % targets.length] ?? '/' }).end();
        requests += 1;
      });
      const port = await listening(server);
      const client = egress({ allowLoopback: true });
      for (const _target of targets) {
        const url = `http://127.0.0.1:${port}/`;
        expect(await client.request({ method: 'POST', url, maxBytes: 10, timeoutMs: 5_000 })).toMatchObject({
          ok: false,
          error: { code: 'redirect_refused', delivered: 'maybe', status },
        });
      }
      expect(requests).toBe(targets.length);
    },
  );

  it.each<[string, string, string, string]>([
    [
      'answers byte by byte',
      'too_large',
      '1\r\na\r\n',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['announces its answer without end', 'broken_response', 'HTTP/1.1 103 Early Hints\r\n\r\n', ''],
  ])('a server that %s is disconnected at once: %s', async (_what, code, piece, first) => {
    const many = piece.repeat(2_000);
    let sent = 0;
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.write(first));
      const more = (): void => {
        if (socket.destroyed) return;
        sent += many.length;
        socket.write(many, () => setImmediate(more));
      };
      socket.once('data', more);
      opened.push({ close: () => socket.destroy() });
    });
    const port = await listening(server);
    const client = egress({ allowLoopback: true });
    for (const streams of [false, true]) {
      const call = {
        method: 'POST' as const,
        url: `http://127.0.0.1:${port}/`,
        maxBytes: 4_000_000,
        timeoutMs: 300_000,
      };
      const answer = streams ? await client.open(call) : await client.request(call);
      if (!answer.ok || !streams)
        expect(answer).toMatchObject({ ok: false, error: { code, delivered: 'maybe' } });
      else
        await expect(new Response(answer.value.body as never).arrayBuffer()).rejects.toMatchObject({
          failure: { code },
        });
    }
    // Two answers of four million bytes are 48 million on the way.
    expect(sent).toBeLessThan(20_000_000);
  });

  it.each<[string, readonly string[]]>([
    ['says nothing', []],
    ['stops inside its headers', ['HTTP/1.1 200 OK\r\nContent-']],
    ['stops inside its body', ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab']],
    ['stops inside a chunk', ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab']],
    [
      'never ends its chunks',
      ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n', '1\r\na\r\n', '1\r\na\r\n'],
    ],
  ])('a server that %s is disconnected at the deadline', async (_what, pieces) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        for (const piece of pieces) socket.write(piece);
      });
      opened.push({ close: () => socket.destroy() });
    });
    const port = await listening(server);
    const client = egress({ allowLoopback: true });
    const answer = await client.request({
      method: 'POST',
      url: `http://127.0.0.1:${port}/`,
      maxBytes: 99,
      // Long enough for any machine to connect in, after which it may have been delivered.
      timeoutMs: 2_000,
    });
    expect(answer).toMatchObject({ ok: false, error: { code: 'timeout', delivered: 'maybe' } });
  });
});
