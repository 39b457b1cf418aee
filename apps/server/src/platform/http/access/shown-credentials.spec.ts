import { describe, expect, it } from '@jest/globals';
import { readAuthorization } from './shown-credentials.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const read = (headers: readonly (readonly [string, string])[], aliases = false) =>
  readAuthorization(headers.flat(), aliases);
const bearer = (token: string) => ({ ok: true, value: { scheme: 'bearer', token } });

describe('the Authorization header', () => {
  it('is Bearer with a token or Basic with a name and a password, in any case of the scheme', () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER'])
      expect(read([['Authorization', `${scheme} abc.def`]])).toEqual(bearer('abc.def'));
    expect(read([['authorization', basic('agent:pass:word')]])).toEqual({
      ok: true,
      value: { scheme: 'basic', username: 'agent', password: 'pass:word' },
    });
    expect(read([['host', 'x']])).toEqual({ ok: true, value: undefined });
  });

  it.each([
    ['another scheme', 'Digest abc'],
    ['no scheme', 'abc'],
    ['no token', 'Bearer '],
    ['two tokens', 'Bearer abc def'],
    ['no base64', 'Basic %%%'],
    ['no password', basic('agent')],
    ['no name', basic(':password')],
  ])('with %s is refused, and never treated as missing', (_what, value) => {
    expect(read([['authorization', value]])).toMatchObject({ ok: false });
  });

  it('sent twice is refused, even with the same value', () => {
    const twice = (one: string, other: string) =>
      read([
        ['authorization', one],
        ['Authorization', other],
      ]);
    expect(twice('Bearer abc', 'Bearer def')).toMatchObject({ ok: false });
    expect(twice('Bearer abc', 'Bearer abc')).toMatchObject({ ok: false });
  });
});

describe('an alias of it', () => {
  it('is ignored at an endpoint without aliases', () => {
    expect(read([['x-ads-auth', 'abc']])).toEqual({ ok: true, value: undefined });
    expect(
      read([
        ['x-ads-auth', 'abc'],
        ['authorization', 'Bearer def'],
      ]),
    ).toEqual(bearer('def'));
  });

  it.each(['x-ads-auth', 'x-adcp-auth'])('%s contains a token, with or without its scheme', (name) => {
    for (const value of ['abc', 'Bearer abc', 'bearer abc'])
      expect(read([[name, value]], true)).toEqual(bearer('abc'));
    expect(read([[name, '']], true)).toMatchObject({ ok: false });
    expect(read([[name, 'Basic YTpi']], true)).toMatchObject({ ok: false });
  });

  it.each([
    ['another token', [['authorization', 'Bearer def']]],
    ['another scheme', [['authorization', basic('agent:abc')]]],
    ['another alias with another token', [['x-adcp-auth', 'def']]],
  ] as const)('beside %s is refused', (_what, beside) => {
    expect(read([['x-ads-auth', 'abc'], ...beside], true)).toMatchObject({ ok: false });
  });

  it('with the same value is accepted', () => {
    const reported = [
      ['authorization', 'Bearer abc'],
      ['x-ads-auth', 'abc'],
      ['x-adcp-auth', 'Bearer abc'],
    ] as const;
    expect(read(reported, true)).toEqual(bearer('abc'));
  });
});
