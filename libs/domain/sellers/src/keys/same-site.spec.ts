import { describe, expect, it } from '@jest/globals';
import { isSameSite, isWithin, siteOf } from './same-site.js';

describe('two hosts', () => {
  it.each([
    ['ads.seller.com', 'seller.com'],
    ['ads.seller.com', 'www.seller.com'],
    ['ads.seller.co.uk', 'seller.co.uk'],
    ['a.seller.com.br', 'b.c.seller.com.br'],
    ['ads.seller.github.io', 'seller.github.io'],
    ['seller.github.io', 'seller.github.io'],
    ['github.io', 'github.io'],
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['localhost', 'localhost'],
    ['ADS.Seller.COM', 'seller.com'],
    ['ads.seller.com.', 'seller.com'],
    ['ads.bücher.example', 'xn--bcher-kva.example'],
    ['a.食狮.公司.cn', 'xn--85x722f.xn--55qx5d.cn'],
    // For names without a suffix in the list, the top level is the suffix.
    ['ads.seller.test', 'seller.test'],
    ['ads.seller.vercel.app', 'seller.vercel.app'],
    ['a.one.s3.amazonaws.com', 'one.s3.amazonaws.com'],
  ])('%s and %s are of one site', (one, other) => {
    expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['seller.com', 'seller.net'],
    ['seller.com', 'reseller.com'],
    ['one.co.uk', 'other.co.uk'],
    ['one.com.br', 'other.com.br'],
    // Each name below these belongs to another customer, who must not speak for the others.
    ['one.github.io', 'other.github.io'],
    ['one.vercel.app', 'other.vercel.app'],
    ['one.pages.dev', 'other.pages.dev'],
    ['one.github.io', 'github.io'],
    ['one.eu-west-1.elb.amazonaws.com', 'other.eu-west-1.elb.amazonaws.com'],
    ['bucket.s3.amazonaws.com', 'other.s3.amazonaws.com'],
    ['one.blob.core.windows.net', 'other.blob.core.windows.net'],
    ['203.0.113.7', '203.0.113.8'],
    ['2001:db8::1', '2001:db8::2'],
    ['localhost', 'seller.localhost'],
    ['github.io', 'co.uk'],
    ['one.s3.amazonaws.com', 's3.amazonaws.com'],
    ['s3.amazonaws.com', 'amazonaws.com'],
    // The list has some branches of these, but not the names themselves.
    ['sts.amazonaws.com', 'iam.amazonaws.com'],
    ['203-0-113-7.nip.io', '203-0-113-8.nip.io'],
    ['one.wordpress.com', 'wordpress.com'],
    // The list's wildcards and exceptions: every name below .ck is a suffix, except one.
    ['one.shop.ck', 'other.shop.ck'],
    ['shop.ck', 'store.ck'],
    ['a.xn--85x722f.xn--55qx5d.cn', 'a.xn--55qx5d.cn'],
    ['seller.com', 'seller.com/../seller.com'],
    ['seller.com', 'u@seller.com'],
    ['', ''],
    ['seller..com', 'ads.seller..net'],
  ])('%s and %s are not of one site', (one, other) => {
    expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([false, false]);
  });
});

describe('a host within a domain', () => {
  it('is the domain or below it, and never a similar name or a top level domain', () => {
    expect(['seller.com', 'ads.seller.com'].map((host) => isWithin(host, 'seller.com'))).toEqual([
      true,
      true,
    ]);
    expect(isWithin('reseller.com', 'seller.com')).toBe(false);
    expect(isWithin('seller.com', 'com')).toBe(false);
    expect(isWithin('one.github.io', 'github.io')).toBe(false);
    expect(isWithin('one.co.uk', 'co.uk')).toBe(false);
    expect(isWithin('one.s3.amazonaws.com', 's3.amazonaws.com')).toBe(false);
    expect(isWithin('one.nip.io', 'nip.io')).toBe(false);
    expect(isWithin('1.203.0.113', '203.0.113')).toBe(false);
    expect(isWithin('seller.localhost', 'localhost')).toBe(false);
  });

  it('may be in upper case, or with Unicode letters', () => {
    expect(isWithin('xn--bcher-kva.example', 'Bücher.example')).toBe(true);
    expect(isWithin('ads.seller.com', 'SELLER.com.')).toBe(true);
    expect(isWithin('ads.seller.com', 'https://seller.com')).toBe(false);
    expect(isWithin('ads.seller.com', '')).toBe(false);
  });
});

describe('the site of a host', () => {
  it.each([
    ['ads.seller.com', 'seller.com'],
    ['ADS.Seller.Co.UK.', 'seller.co.uk'],
    ['a.b.one.github.io', 'one.github.io'],
    ['a.one.s3.amazonaws.com', 'one.s3.amazonaws.com'],
    ['www.ck', 'www.ck'],
    ['a.bücher.example', 'xn--bcher-kva.example'],
    ['github.io', 'github.io'],
    ['localhost', 'localhost'],
    ['203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8::1'],
    ['sts.amazonaws.com', 'sts.amazonaws.com'],
  ])('%s is %s', (host, site) => {
    expect(siteOf(host)).toBe(site);
  });
});
