import { describe, expect, it } from '@jest/globals';
import { splitSealedHeaders } from './sealed-headers.js';

const honest: [string, string][] = [
  ['Host', 'relay.example'],
  ['Authorization', 'Bearer of-the-brand'],
  ['Signature-Input', 'sig1=("@method")'],
  ['Signature', 'sig1=:AAAA:'],
  ['Content-Digest', 'sha-256=:BBBB:'],
  ['Content-Type', 'application/json'],
  ['Mcp-Session-Id', 'of-the-brand'],
  ['X-Trace', '1'],
];

describe('splitSealedHeaders', () => {
  it('forwards the four fields of the signature unchanged and names the headers that it removes', () => {
    const split = splitSealedHeaders(honest);
    expect(split).toEqual({
      ok: true,
      value: {
        forwarded: {
          signature: 'sig1=:AAAA:',
          'signature-input': 'sig1=("@method")',
          'content-digest': 'sha-256=:BBBB:',
          'content-type': 'application/json',
        },
        leftBehind: ['authorization', 'host', 'mcp-session-id', 'x-trace'],
      },
    });
  });

  it.each(['Signature', 'signature-input', 'CONTENT-DIGEST', 'content-type'])(
    'refuses a second %s, in any order',
    (name) => {
      const split = splitSealedHeaders([[name, 'other'], ...honest]);
      expect(split).toMatchObject({ ok: false, error: { code: 'RELAY_HEADER_REPEATED' } });
    },
  );

  it.each([
    ['content_digest', 'sha-256=:CCCC:'],
    ['Signature_Input', 'sig1=()'],
    ['Connection', 'keep-alive, Content-Digest'],
    ['connection', 'authorization'],
    ['Proxy-Authorization', 'Basic x'],
    ['X-Api-Key', 'x'],
    ['Trailer', 'Signature'],
    ['X-HTTP-Method-Override', 'PUT'],
    ['X-Original-URL', '/admin'],
  ])('refuses %s: %s as ambiguous', (name, value) => {
    const split = splitSealedHeaders([...honest, [name, value]]);
    expect(split).toEqual({
      ok: false,
      error: { code: 'RELAY_HEADER_SMUGGLED', header: name.toLowerCase() },
    });
  });

  it('refuses a request without either half of the signature', () => {
    for (const gone of ['Signature', 'Signature-Input']) {
      expect(splitSealedHeaders(honest.filter(([name]) => name !== gone))).toMatchObject({
        ok: false,
        error: { code: 'RELAY_SIGNATURE_MISSING' },
      });
    }
  });
});
