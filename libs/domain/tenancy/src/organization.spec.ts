import { describe, expect, it } from '@jest/globals';
import { isHostName, isLoopbackName, isOwnOperator, isTimeZone } from './organization.js';

describe('the domain of an organization', () => {
  it.each(['agency.example', 'a.b-c.co.uk', 'AGENCY.Example', 'xn--bcher-kva.example'])('may be %s', (name) =>
    expect(isHostName(name)).toBe(true),
  );

  it.each([
    ['', 'agency', 'https://agency.example', 'agency.example/', 'agency.example:443', 'agency.example.'],
    ['10.0.0.1', '1.2', '[::1]', '-a.example', 'a-.example', 'a..example', 'a_b.example', 'bücher.example'],
    [`${'a'.repeat(64)}.example`, `${'a.'.repeat(130)}example`, 'user@agency.example', 'a b.example'],
  ])('is never an address or a name that DNS cannot resolve', (...names) => {
    for (const name of names) expect([name, isHostName(name)]).toEqual([name, false]);
  });

  it('may be a loopback name on request, and never a similar one', () => {
    for (const name of ['localhost', 'agency.localhost:8080', '127.0.0.1:80'])
      expect([name, isLoopbackName(name)]).toEqual([name, true]);
    for (const name of ['localhost.example', '128.0.0.1', 'notlocalhost', '127.0.0.1.example'])
      expect([name, isLoopbackName(name)]).toEqual([name, false]);
  });

  it('is its own operator, and so is a name below it, and no name that only ends like it', () => {
    for (const operator of ['agency.example', 'Agency.Example', 'media.agency.example'])
      expect([operator, isOwnOperator('agency.example', operator)]).toEqual([operator, true]);
    for (const operator of ['myagency.example', 'example', 'agency.example.evil.example'])
      expect([operator, isOwnOperator('agency.example', operator)]).toEqual([operator, false]);
  });
});

describe('the time zone of an organization', () => {
  it('is one that the IANA database names', () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/New_York']) expect(isTimeZone(zone)).toBe(true);
    for (const zone of ['', '+01:00', 'Europe/Nowhere', 'Berlin'])
      expect([zone, isTimeZone(zone)]).toEqual([zone, false]);
  });
});
