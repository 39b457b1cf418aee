import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import { Secret } from '@switchyard/values';
import { credentialForms } from './credential-forms.js';

const forms = (scheme: 'bearer' | 'basic', text: string): readonly string[] =>
  credentialForms({ id: 'c', version: 1, scheme, secret: new Secret(Buffer.from(text)) });

describe('our credential in any form that a seller may return', () => {
  it('is the token itself, and of a pair the header, the pair and the password', () => {
    expect(forms('bearer', 'tok_0123456789')).toEqual(['tok_0123456789']);
    const encoded = Buffer.from('agency:s3cret-s3cret').toString('base64');
    expect(forms('basic', 'agency:s3cret-s3cret')).toEqual(
      [
        'agency%3As3cret-s3cret',
        encoded,
        encodeURIComponent(encoded),
        'agency:s3cret-s3cret',
        's3cret-s3cret',
      ]
        .toSorted((one, other) => other.length - one.length)
        .filter((form, at, all) => all.indexOf(form) === at),
    );
  });

  it('is also its encoding in JSON and in addresses', () => {
    expect(forms('bearer', 'a"b/c+d e\\f')).toEqual(
      expect.arrayContaining(['a"b/c+d e\\f', 'a\\"b/c+d e\\\\f', 'a%22b%2Fc%2Bd%20e%5Cf']),
    );
  });

  it('is searched with its header only if it is too short to differ from words', () => {
    expect(forms('bearer', 'price')).toEqual(['Bearer%20price', 'Bearer price']);
    expect(forms('basic', 'a:b')).toEqual(
      expect.arrayContaining(
        [Buffer.from('a:b').toString('base64')].map((text) => (text.length < 8 ? `Basic ${text}` : text)),
      ),
    );
  });

  it('is absent without a credential', () => {
    expect(credentialForms(undefined)).toEqual([]);
  });
});
