import { Buffer } from 'node:buffer';
import { describe, expect, it } from '@jest/globals';
import type { JsonValue } from '@switchyard/values';
import { concealSecrets } from './conceal-secrets.js';

const own = ['tok_0123456789'];
const concealed = (text: string): string | undefined =>
  concealSecrets(Buffer.from(text), JSON.parse(text) as JsonValue, own)?.toString();

describe('the body of a webhook', () => {
  it('is unchanged if it contains no secret', () => {
    expect(concealed('{"a": "tok_012345678", "n": 1.50}')).toBeUndefined();
  });

  it('loses our secret at any place, and nothing else', () => {
    expect(concealed('{"n": 1.50, "errors": [{"message": "Bearer tok_0123456789 is stale"}]}')).toBe(
      '{"n": 1.50, "errors": [{"message": "Bearer [secret] is stale"}]}',
    );
    expect(concealed('{"tok_0123456789": 1}')).toBe('{"[secret]": 1}');
  });

  it('loses a secret that is written with escapes', () => {
    expect(concealed('{"a": "\\u0074ok_0123456789"}')).toBe('{"a":"[secret]"}');
    const both = concealed(
      '{"a": "\\u0074ok_0123456789", "b": "tok_0123456789", "c": {"authentication": {"credentials": "x"}}}',
    );
    expect(both).not.toMatch(/tok_|"x"/);
  });

  it('loses what opens the assets of an artifact, and keeps everything else of it', () => {
    const asset = (more: object): object => ({ type: 'image', url: 'https://cdn.example/a.png', ...more });
    const body = (assets: readonly object[]): string =>
      JSON.stringify({ media_buy_id: 'b', artifacts: [{ artifact: { assets } }] });
    const opened = [
      asset({ access: { method: 'bearer_token', token: 'tok-of-theirs' } }),
      asset({ access: { method: 'service_account', provider: 'gcp', credentials: { key: ['k-1', 'k-2'] } } }),
      asset({ url: 'https://cdn.example/b.png?sig=1', access: { method: 'signed_url' } }),
      asset({}),
    ];
    const shut = [
      asset({ access: { method: 'bearer_token', token: '[secret]' } }),
      asset({
        access: {
          method: 'service_account',
          provider: 'gcp',
          credentials: { key: ['[secret]', '[secret]'] },
        },
      }),
      asset({ url: '[secret]', access: { method: 'signed_url' } }),
      asset({}),
    ];
    expect(concealed(body(opened))).toBe(body(shut));
    expect(concealed(body([asset({})]))).toBeUndefined();
    const escaped = body(opened).replaceAll('tok-of', '\\u0074ok-of');
    expect(concealed(escaped)).not.toMatch(/of-theirs|k-1|sig=1/);
  });
});
