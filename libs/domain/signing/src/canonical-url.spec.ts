import { describe, expect, it } from '@jest/globals';
import { canonicalTarget } from './canonical-url.js';

function canonical(url: string): string {
  const target = canonicalTarget(url);
  return target.ok ? `${target.value.targetUri} ${target.value.authority}` : 'malformed';
}

describe('canonicalTarget', () => {
  it.each([
    ['HTTP://Example.COM:80/', 'http://example.com/ example.com'],
    ['https://example.com:80/', 'https://example.com:80/ example.com:80'],
    ['https://example.com', 'https://example.com/ example.com'],
    ['https://example.com:/p', 'https://example.com/p example.com'],
    ['https://a:b@example.com./p', 'https://example.com/p example.com'],
    ["https://example.com/p?q='a b".replace(' ', '%20'), "https://example.com/p?q='a%20b example.com"],
    ['https://example.com/p?%7e=%2f', 'https://example.com/p?%7e=%2f example.com'],
    ['https://example.com/%7e%2f%3a', 'https://example.com/~%2F%3A example.com'],
    ['https://example.com/a/%2e%2e/b', 'https://example.com/a/../b example.com'],
    ['https://example.com/a/b/../../../c/.', 'https://example.com/c/ example.com'],
    ['https://example.com/..', 'https://example.com/ example.com'],
    ['https://example.com/a/..?', 'https://example.com/? example.com'],
    ['https://example.com/.well-known/a..b', 'https://example.com/.well-known/a..b example.com'],
    ['https://127.0.0.1:4000/p', 'https://127.0.0.1:4000/p 127.0.0.1:4000'],
    ['https://faß.example/', 'https://xn--fa-hia.example/ xn--fa-hia.example'],
  ])('%s', (url, expected) => {
    expect(canonical(url)).toBe(expected);
  });

  it.each([
    'example.com/p',
    'ftp://example.com/',
    'https:/example.com/',
    'https://under_score.example/',
    'https://-a.example/',
    'https://a-.example/',
    'https://ab--cd.example/',
    'https://xn--a.example/',
    'https://a%62.example/',
    'https://a\\@b.example/',
    'https://a b@c.example/',
    'https://example.com:99999/',
    'https://example.com:4a/',
    'https://[::1]x/',
    'https://[]/',
    'https://[v1.x]/',
    'https://example.com/%zz',
    'https://example.com/a b',
    'https://example.com/ä',
    'https://example.com/a\\b',
    'https://example.com/?a b',
    'https://example.com/\u0000',
    '',
  ])('refuses %s', (url) => {
    expect(canonical(url)).toBe('malformed');
  });
});
