import { describe, expect, it } from '@jest/globals';
import { isInnerList, parseDictionary } from './structured-fields.js';

describe('parseDictionary', () => {
  it('reads every type, and keeps the exact text of a list', () => {
    const members = parseDictionary(
      'a=1, b="x\\"y\\\\", c=:AQI:, d;p=?0;q, e=tok/en, f=1.5,  g=( "s"  t;u=2 );v=-3',
    );
    expect([...(members ?? new Map()).keys()]).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const list = members?.get('g');
    expect(list !== undefined && isInnerList(list) && list.text).toBe('( "s"  t;u=2 );v=-3');
    expect(members?.get('b')).toMatchObject({ item: { type: 'string', value: 'x"y\\' } });
    expect(members?.get('e')).toMatchObject({ item: { type: 'token' } });
  });

  it('is not confused by separators inside a quoted string', () => {
    const members = parseDictionary('sig1=("a");nonce="x, sig1=(\\"b\\");y=1"');
    expect([...(members ?? new Map()).keys()]).toEqual(['sig1']);
  });

  it.each([
    '',
    'a=1,',
    'a=1,, b=2',
    'a=1 b=2',
    'a=1, a=2',
    'a;p=1;p=2',
    'A=1',
    'a=',
    'a=("x"',
    'a=("x""y")',
    'a="x',
    'a="é"',
    'a="\\n"',
    'a=:AQ',
    'a=:A:',
    'a=:AQ=:',
    'a=:+-AA:',
    'a=:-_A=:',
    'a=:AR:',
    'a=:A Q:',
    'a=1234567890123456',
    'a=1.2345',
    'a=--1',
    'a=1234567890123.1',
    'a=-.5',
    'a=-',
    'a=1.',
    'a=1e3',
    'a=?2',
    '\ta=1',
  ])('refuses %j', (text) => {
    expect(parseDictionary(text)).toBeUndefined();
  });

  it('reads a hostile megabyte in linear time', () => {
    const long = `a="${'\\\\'.repeat(200_000)}`;
    expect(parseDictionary(long)).toBeUndefined();
    expect(parseDictionary(`a=(${'"x" '.repeat(100_000)})`)).toBeDefined();
  });
});
