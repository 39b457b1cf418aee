import { describe, expect, it } from '@jest/globals';
import { isSameSite, isWithin } from './same-site.js';

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
  ])('%s and %s are of one site', (one, other) => {
    expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([true, true]);
  });

  it.each([
    ['seller.com', 'seller.net'],
    ['seller.com', 'reseller.com'],
    ['one.co.uk', 'other.co.uk'],
    ['one.com.br', 'other.com.br'],
    // Whoever rents a name below one of these is another customer, and may say nothing of his neighbour.
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
  ])('%s and %s are not', (one, other) => {
    expect([isSameSite(one, other), isSameSite(other, one)]).toEqual([false, false]);
  });
});

describe('a host within a domain', () => {
  it('is the domain or below it, and never a namesake nor all of a top level', () => {
    expect(['seller.com', 'ads.seller.com'].map((host) => isWithin(host, 'seller.com'))).toEqual([
      true,
      true,
    ]);
    expect(isWithin('reseller.com', 'seller.com')).toBe(false);
    expect(isWithin('seller.com', 'com')).toBe(false);
    expect(isWithin('one.github.io', 'github.io')).toBe(false);
    expect(isWithin('one.co.uk', 'co.uk')).toBe(false);
  });
});
