import { describe, expect, it } from '@jest/globals';
import { EndpointBreaker, endpointOf } from './endpoint-breaker.js';

const at = 1_000_000;
const where = 'https://buyer.example/hook';

function opened(): EndpointBreaker {
  const breaker = new EndpointBreaker();
  for (let round = 0; round < 5; round += 1) breaker.record(where, false, at);
  return breaker;
}

describe('the breaker of an endpoint', () => {
  it('opens at the fifth consecutive failure, and not before', () => {
    const breaker = new EndpointBreaker();
    for (let round = 0; round < 4; round += 1) breaker.record(where, false, at);
    expect(breaker.parkedUntil(where, at)).toBeUndefined();
    breaker.record(where, false, at);
    expect(breaker.parkedUntil(where, at)).toBe(at + 60_000);
  });

  it('counts only consecutive failures', () => {
    const breaker = new EndpointBreaker();
    for (let round = 0; round < 20; round += 1) breaker.record(where, round % 4 === 3, at);
    expect(breaker.parkedUntil(where, at)).toBeUndefined();
  });

  it('affects no other endpoint', () => {
    expect(opened().parkedUntil('https://other.example/hook', at)).toBeUndefined();
  });

  it('allows one attempt after a minute, and no second one at the same time', () => {
    const breaker = opened();
    expect(breaker.parkedUntil(where, at + 60_000)).toBeUndefined();
    expect(breaker.parkedUntil(where, at + 60_000)).toBe(at + 61_000);
  });

  it('opens again when that attempt fails', () => {
    const breaker = opened();
    breaker.parkedUntil(where, at + 60_000);
    breaker.record(where, false, at + 60_500);
    expect(breaker.parkedUntil(where, at + 60_501)).toBe(at + 120_500);
  });

  it('closes after two successes', () => {
    const breaker = opened();
    breaker.parkedUntil(where, at + 60_000);
    breaker.record(where, true, at + 60_001);
    expect(breaker.parkedUntil(where, at + 60_002)).toBeUndefined();
    expect(breaker.parkedUntil(where, at + 60_002)).toBe(at + 61_002);
    breaker.record(where, true, at + 60_003);
    expect(breaker.parkedUntil(where, at + 60_004)).toBeUndefined();
    expect(breaker.parkedUntil(where, at + 60_004)).toBeUndefined();
  });

  it('passes the trial on if its attempt was not sent', () => {
    const breaker = opened();
    breaker.parkedUntil(where, at + 60_000);
    breaker.release(where);
    expect(breaker.parkedUntil(where, at + 60_000)).toBeUndefined();
  });
});

describe('an endpoint', () => {
  it.each([
    ['https://buyer.example/hook?key=secret#part', 'https://buyer.example/hook'],
    ['https://user:secret@buyer.example/hook', 'https://buyer.example/hook'],
    ['https://buyer.example?key=secret', 'https://buyer.example'],
  ])('of %s shows no secret', (url, shown) => {
    expect(endpointOf(url)).toBe(shown);
  });
});
