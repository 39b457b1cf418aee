import { describe, expect, it } from '@jest/globals';
import { readChallenges } from './challenge.js';

const read = (header: string) =>
  readChallenges(header).map(({ scheme, parameters }) => [
    scheme,
    Object.fromEntries([...parameters].map(([name, { value }]) => [name, value])),
  ]);

describe('the challenges of a WWW-Authenticate header', () => {
  it.each<[string, unknown]>([
    ['Bearer', [['bearer', {}]]],
    ['Bearer realm="desk, north"', [['bearer', { realm: 'desk, north' }]]],
    [
      'Basic realm="desk", Bearer resource_metadata="https://a.com/x", scope="adcp:products"',
      [
        ['basic', { realm: 'desk' }],
        ['bearer', { resource_metadata: 'https://a.com/x', scope: 'adcp:products' }],
      ],
    ],
    [
      'DPoP algs="ES256", Bearer error=invalid_token',
      [
        ['dpop', { algs: 'ES256' }],
        ['bearer', { error: 'invalid_token' }],
      ],
    ],
    [
      'Negotiate dG9rZW4=, Bearer realm="a \\"b\\""',
      [
        ['negotiate', {}],
        ['bearer', { realm: 'a "b"' }],
      ],
    ],
    [
      'Bearer xresource_metadata="https://trap.com/p"',
      [['bearer', { xresource_metadata: 'https://trap.com/p' }]],
    ],
    ['', []],
    ['"no scheme"', []],
  ])('are read from %s', (header, expected) => {
    expect(read(header)).toEqual(expected);
  });

  it('tell a quoted value from a bare one, which is no address', () => {
    const [first] = readChallenges('Bearer resource_metadata=https');
    expect(first?.parameters.get('resource_metadata')).toEqual({ value: 'https', isQuoted: false });
  });

  it('hold no time on long input', () => {
    expect(readChallenges(`Bearer ${'a="\\'.repeat(100_000)}`).length).toBeGreaterThan(0);
  });
});
