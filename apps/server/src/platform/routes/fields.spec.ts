import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { brandName, domainName } from './fields.js';
import { adminRoutes } from '../../main/routes.js';

const dated = /^(since|until|from|to|date|as_of|start|end|.*_(on|at|date|until|from))$/;

/** Called like a date, and none: the key that seals are moved to. */
const noDates = new Set(['to of rewrap_credentials']);

/** Every member of a route's request that is called like a date, with the schema that reads it. */
const members = adminRoutes.flatMap(({ id, query, body }) =>
  [query, body].flatMap((schema) =>
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
          .filter(([name]) => dated.test(name))
          .map(([name, reader]) => [`${name} of ${id}`, reader] as const)
          .filter(([name]) => !noDates.has(name))
      : [],
  ),
);

it.each(members)('a day that does not exist is refused: %s', (_name, reader) => {
  for (const text of ['2026-02-30', '2026-13-01', '5', 'yesterday', ''])
    expect([text, reader.safeParse(text).success]).toEqual([text, false]);
});

/** Files and sellers have the names that others gave them. */
const namedByOthers = ['announce_file', 'edit_seller'];
/** What each request calls a thing. */
const names = adminRoutes.flatMap(({ id, body }) =>
  body instanceof z.ZodObject && 'name' in body.shape && !namedByOthers.includes(id)
    ? [[id, body.shape['name'] as z.ZodType] as const]
    : [],
);

it.each(names)('a name that hides or reverses other text is refused: %s', (_id, reader) => {
  expect(reader.safeParse('Nova').success).toBe(true);
  for (const hidden of ['\u0007', '\n', '\u0085', '\u202e', '\u2066', '\u200f', '\u2028'])
    expect([hidden, reader.safeParse(`Nova${hidden}Foods`).success]).toEqual([hidden, false]);
});

it.each([
  ['Bücher.example', 'xn--bcher-kva.example'],
  ['NOVA.example', 'nova.example'],
])('the domain %s of a brand is stored as %s', (text, stored) => {
  expect(domainName.parse(text)).toBe(stored);
});

it.each(['www.nova.example', 'WWW.Nova.example', 'nova.example.', 'www.www.nova.example'])(
  'the spelling %s of a brand is the brand nova.example',
  (text) => {
    expect(brandName.parse(text)).toBe('nova.example');
    expect(brandName.parse('www.example')).toBe('www.example');
  },
);

it.each(['nova example', 'bü cher.example', '-nova.example', 'nova..example', 'https://nova.example', ''])(
  'an invalid domain is refused: %s',
  (text) => {
    expect(domainName.safeParse(text).success).toBe(false);
  },
);

const bodies = adminRoutes.flatMap(({ id, body }) =>
  body instanceof z.ZodObject
    ? Object.entries(body.shape as Readonly<Record<string, z.ZodType>>).map(
        ([name, reader]) => [`${name} of ${id}`, reader] as const,
      )
    : [],
);
const tooMany = Object.fromEntries(Array.from({ length: 20_000 }, (_, at) => [`name ${at}`, at]));

it.each(bodies)('an object with 20,000 members gets few errors: %s', (_name, reader) => {
  expect(reader.safeParse(tooMany).error?.issues.length ?? 0).toBeLessThan(10);
});
