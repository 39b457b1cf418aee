import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { createLogger, type LoggerOptions } from './create-logger.js';

const canary = 'canary0123456789abcdefghijklmnopqrstuvwxyz0';
const basic = Buffer.from(`user:${canary}`).toString('base64');

type Log = ReturnType<typeof createLogger>;

const shapes: readonly (readonly [string, (logger: Log) => void])[] = [
  [
    'a Secret',
    (log) => log.info({ secret: new Secret(Buffer.from(canary)), other: new Secret(Buffer.from(canary)) }),
  ],
  [
    'a header by any spelling',
    (log) => log.info({ headers: { Authorization: canary, 'X-ADCP-Auth': canary } }),
  ],
  ['raw headers, name and value in turn', (log) => log.info({ raw: ['host', 'x', 'AUTHORIZATION', canary] })],
  ['deep inside a request', (log) => log.info({ a: [{ b: { access_token: canary, 'api-key': canary } }] })],
  ['bytes', (log) => log.info({ body: Buffer.from(canary), view: new Uint8Array(Buffer.from(canary)) })],
  ['the text of a message', (log) => log.info(`calling with Bearer ${canary} and Basic ${basic}`)],
  ['one of our own tokens', (log) => log.info({ note: `minted sy_${canary}` }, `sy_${canary}`)],
  ['an address', (log) => log.warn({ url: `https://user:${canary}@x.test/?token=${canary}&a=1` })],
  ['an error and its cause', (log) => log.error(failure(), 'it failed')],
  [
    'the bindings of a child',
    (log) => log.child({ password: canary, url: `redis://:${canary}@h` }).info('x'),
  ],
  ['a map', (log) => log.info({ m: new Map([['client_secret', canary]]) })],
  [
    'a private key',
    (log) => log.info({ pem: `-----BEGIN PRIVATE KEY-----\n${canary}\n-----END PRIVATE KEY-----` }),
  ],
  ['a signed token', (log) => log.info(`got eyJhbGciOiJFZERTQSJ9.${canary}.${canary}`)],
  ['an object that shows itself', (log) => log.info({ it: { toJSON: () => ({ token: canary }) } })],
];

function failure(): Error {
  const cause = Object.assign(new Error('inner'), {
    config: { headers: { authorization: `Bearer ${canary}` } },
  });
  return new Error(`GET https://x.test?api_key=${canary} said 401 to Bearer ${canary}`, { cause });
}

function linesOf(use: (logger: Log) => void, options: LoggerOptions = {}): string[] {
  const lines: string[] = [];
  use(createLogger({ ...options, destination: { write: (line) => void lines.push(line) } }));
  return lines;
}

describe('the logger', () => {
  it.each(shapes)('removes a secret from its lines: %s', (_, write) => {
    const lines = linesOf(write);
    expect(lines).toHaveLength(1);
    const text = lines.join('');
    for (const form of [
      canary,
      basic,
      Buffer.from(canary).toString('base64'),
      [...Buffer.from(canary)].join(','),
    ]) {
      expect(text).not.toContain(form);
    }
    expect(() => JSON.parse(text) as unknown).not.toThrow();
  });

  it('keeps level, time, ids, codes, and the message of an error', () => {
    const [line = ''] = linesOf((log) =>
      log.error(
        {
          operation_id: 'op-1',
          credential_id: 'cred-1',
          err: Object.assign(new Error('gone'), { code: 'E1' }),
        },
        'x',
      ),
    );
    expect(JSON.parse(line)).toMatchObject({
      level: 'error',
      msg: 'x',
      operation_id: 'op-1',
      credential_id: 'cred-1',
      err: { type: 'Error', message: 'gone', code: 'E1' },
    });
  });

  it('loses no line because of a cycle, a big integer or a very deep object', () => {
    const cycle: Record<string, unknown> = { n: 10n };
    cycle['self'] = cycle;
    let deep: unknown = canary;
    for (let level = 0; level < 50; level += 1) deep = { deep };
    const [line = ''] = linesOf((log) => log.info({ cycle, deep }));
    expect(JSON.parse(line)).toMatchObject({ cycle: { n: '10', self: '[cut]' } });
  });

  it('stays silent below its level', () => {
    expect(linesOf((log) => log.debug('x'))).toEqual([]);
    expect(linesOf((log) => log.debug('x'), { level: 'debug' })).toHaveLength(1);
  });
});
