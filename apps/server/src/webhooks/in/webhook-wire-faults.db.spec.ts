import { connect } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { applyInbox } from './apply-inbox.js';
import { report, signed, specInbox, type Posting, type SpecSeller } from '../testkit/inbox.js';

/**
 * Faults on the wire, one test per class: written byte by byte to the real endpoints, so that no client corrects them. An
 * event is stored once if it was acknowledged, and not at all if it was refused.
 */
let seller: SpecSeller;

const inbox = await specInbox();
afterAll(() => inbox.close());
beforeEach(async () => {
  seller = await inbox.seller();
  inbox.clock.advance(1);
});

interface Wire {
  /** Ends our side after the last byte. */
  readonly isLast?: boolean;
  /** Disconnects without reading. */
  readonly hangsUp?: boolean;
}

/** Writes these bytes on one connection. Returns everything received until it closes. */
function wire(
  bytes: Buffer | readonly Buffer[],
  { isLast = false, hangsUp = false }: Wire = {},
): Promise<string> {
  const { hostname, port } = new URL(inbox.url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    let reported = '';
    socket.on('data', (chunk: Buffer) => (reported += chunk.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(reported));
    socket.write(Buffer.concat(Array.isArray(bytes) ? bytes : [bytes as Buffer]), () => {
      if (hangsUp) socket.destroy();
    });
    if (isLast) socket.end();
  });
}

interface Made {
  readonly url: string;
  readonly bytes: Buffer;
  readonly headers: Record<string, string>;
}

const make = (body: unknown = report(seller), posting: Posting = {}): Made =>
  signed(inbox.url, inbox.clock.now(), seller, body, posting);

/** The head of a request with exactly these lines and `Connection: close`. */
function head(made: Made, lines: readonly string[], method = 'POST'): Buffer {
  const { pathname, search, host } = new URL(made.url);
  const own = Object.entries(made.headers).map(([name, value]) => `${name}: ${value}`);
  return Buffer.from(
    [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`, ...own, ...lines, '', ''].join('\r\n'),
    'latin1',
  );
}

const last = 'Connection: close';
const length = (bytes: Buffer): string => `Content-Length: ${String(bytes.length)}`;
const plain = (made: Made, ...lines: readonly string[]): Buffer =>
  Buffer.concat([head(made, [length(made.bytes), last, ...lines]), made.bytes]);
/** In chunks of this number of bytes. */
function chunked(bytes: Buffer, size: number): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size) {
    const part = bytes.subarray(at, at + size);
    parts.push(Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n'));
  }
  return Buffer.concat([...parts, Buffer.from('0\r\n\r\n')]);
}
const statuses = (reported: string): readonly number[] =>
  [...reported.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
const codeIn = (reported: string): string =>
  /Signature error="([^"]+)"/i.exec(reported)?.[1] ?? /"code":"([^"]+)"/.exec(reported)?.[1] ?? '';
const stored = async (): Promise<readonly string[]> =>
  (await inbox.admin.list(inbox.caller, { seller: seller.connection.slug })).map(({ state }) => state);
const padded = (size: number): Buffer => {
  const start = JSON.stringify({ ...report(seller), message: '' });
  return Buffer.from(start.replace('"message":""', `"message":"${'x'.repeat(size - start.length)}"`));
};

describe('accepted once', () => {
  it.each([1, 7, 4096])(
    'chunks of %i bytes without a length: the digest covers the whole body',
    async (size) => {
      const made = make();
      const reported = await wire([
        head(made, ['Transfer-Encoding: chunked', last]),
        chunked(made.bytes, size),
      ]);
      expect([statuses(reported), await stored()]).toEqual([[200], ['received']]);
    },
  );

  it('1 MiB in chunks', async () => {
    const made = make(padded(1024 * 1024));
    const reported = await wire([
      head(made, ['Transfer-Encoding: chunked', last]),
      chunked(made.bytes, 65_536),
    ]);
    expect([statuses(reported), await stored()]).toEqual([[200], ['received']]);
  });

  it('a sender with Expect: 100-continue gets 100', async () => {
    const made = make();
    const reported = await wire(plain(made, 'Expect: 100-continue'));
    expect([statuses(reported), await stored()]).toEqual([[100, 200], ['received']]);
  });

  it.each([
    'application/json;charset=UTF-8',
    'Application/JSON',
    'application/json ; charset="utf-8"; profile="a;b"',
  ])('content type %s', async (contentType) => {
    const reported = await wire(plain(make(report(seller), { contentType })));
    expect([statuses(reported), await stored()]).toEqual([[200], ['received']]);
  });

  it('Content-Encoding identity', async () => {
    const reported = await wire(plain(make(), 'Content-Encoding: identity'));
    expect([statuses(reported), await stored()]).toEqual([[200], ['received']]);
  });

  it('an unsigned header that is not ASCII', async () => {
    const reported = await wire(plain(make(), 'X-Note: gr\u00fc\u00dfe'));
    expect([statuses(reported), await stored()]).toEqual([[200], ['received']]);
  });

  it('several pipelined on one connection: answered in order, each stored', async () => {
    const [first, forged, third] = [make(), make(), make()];
    const keep = (made: Made): Buffer => Buffer.concat([head(made, [length(made.bytes)]), made.bytes]);
    const spoiled = { ...forged, headers: { ...forged.headers, 'Content-Type': 'application/json; v=2' } };
    const reported = await wire([keep(first), keep(spoiled), plain(third)]);
    expect([statuses(reported), await stored()]).toEqual([
      [200, 415, 200],
      ['received', 'received'],
    ]);
  });

  it('from a sender that disconnects before the answer; its retry is a duplicate', async () => {
    const body = report(seller);
    await wire(plain(make(body)), { hangsUp: true });
    const reported = await wire(plain(make(body)));
    expect(statuses(reported)).toEqual([200]);
    await applyInbox(inbox.deps, inbox.scope);
    expect(await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).toHaveLength(1);
  });

  it.each([
    ['made 60 s ahead of our clock', { created: 60, expires: 120 }],
    ['over since 60 s by our clock', { created: -200, expires: -60 }],
    ['good for 300 s exactly', { created: 0, expires: 300 }],
  ])('a signature %s', async (_what, posting) => {
    const reported = await wire(plain(make(report(seller), posting)));
    expect([statuses(reported), await stored()]).toEqual([[200], ['received']]);
  });
});

type Refusal = readonly [name: string, run: () => Promise<string>, status: number, code: string];
const windowInvalid = 'webhook_signature_window_invalid';
const malformed = 'webhook_signature_header_malformed';
const refusals: readonly Refusal[] = [
  [
    'chunks with other bytes than were signed',
    () => {
      const made = make();
      const other = Buffer.concat([made.bytes, Buffer.from(' ')]);
      return wire([head(made, ['Transfer-Encoding: chunked', last]), chunked(other, 100)]);
    },
    401,
    'webhook_signature_digest_mismatch',
  ],
  [
    'a chunk with an invalid size',
    () => wire([head(make(), ['Transfer-Encoding: chunked', last]), Buffer.from('zz\r\n{}\r\n0\r\n\r\n')]),
    400,
    'INVALID_REQUEST',
  ],
  [
    'both a length and chunks',
    () => {
      const made = make();
      const lines = [length(made.bytes), 'Transfer-Encoding: chunked', last];
      return wire([head(made, lines), chunked(made.bytes, 100)]);
    },
    400,
    'INVALID_REQUEST',
  ],
  ['two lengths', () => wire(plain(make(), 'Content-Length: 1')), 400, 'INVALID_REQUEST'],
  [
    'a negative length',
    () => {
      const made = make();
      return wire([head(made, ['Content-Length: -1', last]), made.bytes]);
    },
    400,
    'INVALID_REQUEST',
  ],
  [
    'more than 1 MiB with a length',
    () => wire(plain(make(padded(1024 * 1024 + 1)))),
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'more than 1 MiB in chunks, without a length',
    () => {
      const made = make(padded(1024 * 1024 + 1));
      return wire([head(made, ['Transfer-Encoding: chunked', last]), chunked(made.bytes, 65_536)]);
    },
    413,
    'PAYLOAD_TOO_LARGE',
  ],
  [
    'gzip, and said so',
    () => wire(plain(make(gzipSync(JSON.stringify(report(seller)))), 'Content-Encoding: gzip')),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  [
    'a declared brotli encoding',
    () => wire(plain(make(brotliCompressSync(JSON.stringify(report(seller)))), 'Content-Encoding: br')),
    415,
    'UNSUPPORTED_MEDIA_TYPE',
  ],
  ['an expectation that nobody knows', () => wire(plain(make(), 'Expect: 200-ok')), 417, ''],
  ['HTTP without a host', () => wire(Buffer.from('POST /webhooks/x HTTP/1.1\r\n\r\n')), 400, ''],
  [
    'a header folded over two lines',
    () => wire(plain(make(), 'X-Note: one\r\n two')),
    400,
    'INVALID_REQUEST',
  ],
  ['a NUL in a header', () => wire(plain(make(), 'X-Note: a\u0000b')), 400, 'INVALID_REQUEST'],
  [
    'a signature input that is not ASCII',
    () => {
      const made = make();
      const input = Object.entries(made.headers).map(([name, value]) =>
        name.toLowerCase() === 'signature-input'
          ? [name, value.replace('tag="', 'tag="\u00fc')]
          : [name, value],
      );
      return wire(plain({ ...made, headers: Object.fromEntries(input) as Record<string, string> }));
    },
    401,
    malformed,
  ],
  ['a second Signature line', () => wire(plain(make(), 'Signature: sig1=:AAAA:')), 401, malformed],
  [
    'created 61 s in the future',
    () => wire(plain(make(report(seller), { created: 61, expires: 120 }))),
    401,
    windowInvalid,
  ],
  [
    'expired for 61 s',
    () => wire(plain(make(report(seller), { created: -200, expires: -61 }))),
    401,
    windowInvalid,
  ],
  [
    'good for 301 s',
    () => wire(plain(make(report(seller), { created: 0, expires: 301 }))),
    401,
    windowInvalid,
  ],
  [
    'expires equal to created',
    () => wire(plain(make(report(seller), { created: 0, expires: 0 }))),
    401,
    windowInvalid,
  ],
  ...[
    'text/json',
    'application/jsonp',
    'application/vnd.api+json',
    'application/json, text/html',
    'json',
  ].map((contentType): Refusal => [
    `content type ${contentType}, and the signature is not even looked at`,
    () => {
      const headers = { 'content-type': contentType, Signature: 'nonsense' };
      return wire(plain({ ...make(report(seller), { contentType }), headers }));
    },
    415,
    'unsupported_media_type',
  ]),
];

describe('refused on the wire, and nothing is stored', () => {
  it.each(refusals)('%s', async (_name, run, status, code) => {
    const reported = await run();
    expect([statuses(reported)[0], codeIn(reported)]).toEqual([status, code]);
    expect(await stored()).toEqual([]);
  });

  it.each([
    ['longer', 10],
    ['shorter', -1],
  ])('a length %s than the body: not acknowledged', async (_which, more) => {
    const made = make();
    const lines = [`Content-Length: ${String(made.bytes.length + more)}`, last];
    const reported = await wire([head(made, lines), made.bytes], { isLast: true });
    expect(statuses(reported)).not.toContain(200);
    expect(await stored()).toEqual([]);
  });

  it('too large: refused before any hashing, so its nonce stays unused', async () => {
    const nonce = Buffer.from(`large-${seller.legId.slice(0, 10)}`).toString('base64url');
    expect(statuses(await wire(plain(make(padded(1024 * 1024 + 1), { nonce }))))).toEqual([413]);
    expect(statuses(await wire(plain(make(report(seller), { nonce }))))).toEqual([200]);
  });

  it.each(['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s: method not allowed, at a known and at an unknown address',
    async (method) => {
      for (const address of [seller.reportAddress, 'whr_nobody']) {
        const made = make(report(seller), { address });
        const reported = await wire([head(made, [length(made.bytes), last], method), made.bytes]);
        expect(statuses(reported)).toEqual([405]);
        expect(reported).toMatch(/allow: POST/i);
      }
      expect(await stored()).toEqual([]);
    },
  );

  it('unknown addresses: the same answer for all, signed or not', async () => {
    const answers = new Set<string>();
    const strange = ['whr_nobody', 'x', '..%2f..%2fetc', '%00', "'; drop table", 'a'.repeat(90)];
    const { reportAddress } = seller;
    for (const address of [
      ...strange,
      reportAddress.toUpperCase(),
      `${reportAddress}x`,
      reportAddress.slice(0, -1),
    ]) {
      const made = make(report(seller), { address: encodeURIComponent(address).replaceAll('%25', '%') });
      for (const headers of [made.headers, { 'content-type': 'application/json' }]) {
        const reported = await wire(plain({ ...made, headers }));
        answers.add(`${String(statuses(reported)[0])} ${reported.slice(reported.indexOf('\r\n\r\n'))}`);
      }
    }
    expect([...answers]).toEqual([expect.stringMatching(/^404 [\s\S]*"unknown_registration"/)]);
  });
});

describe('an invalid address', () => {
  it.each(['%ff', 'a'.repeat(5000), 'a/b', ''])(
    '%s: refused with a reason, without a lookup',
    async (address) => {
      const made = make();
      const url = `${inbox.url}/webhooks/${address}`;
      const reported = await wire(plain({ ...made, url }));
      expect([400, 404, 414]).toContain(statuses(reported)[0]);
      expect(codeIn(reported)).toMatch(/^(?:INVALID_REQUEST|NOT_FOUND)$/);
    },
  );
});

describe('without a database', () => {
  it('R41: nothing is acknowledged, the sender gets a retryable status, and the retry is accepted once', async () => {
    const url = new URL(inbox.ownerUrl);
    const name = pg.escapeIdentifier(url.pathname.slice(1));
    url.pathname = '/postgres';
    const owner = new pg.Client({ connectionString: url.href });
    await owner.connect();
    const body = report(seller);
    try {
      await owner.query(`alter database ${name} allow_connections false`);
      await owner.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
        new URL(inbox.ownerUrl).pathname.slice(1),
      ]);
      const reported = await wire(plain(make(body)));
      expect(statuses(reported)).toEqual([503]);
      expect(reported).toMatch(/retry-after: \d+/i);
    } finally {
      await owner.query(`alter database ${name} allow_connections true`);
      await owner.end();
    }
    // Each broken connection reports it to its next user.
    const settled = async (): Promise<readonly string[]> => stored().catch(() => settled());
    expect(await settled()).toEqual([]);
    expect(statuses(await wire(plain(make(body))))).toEqual([200]);
    expect(statuses(await wire(plain(make(body))))).toEqual([200]);
    await applyInbox(inbox.deps, inbox.scope);
    expect(await inbox.deps.ledger.entriesOf(inbox.scope, seller.mediaBuyId)).toHaveLength(1);
  });
});
