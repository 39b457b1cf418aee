import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { adminRoutes } from './routes.js';

const dated = /^(since|until|from|to|date|as_of|start|end|.*_(on|at|date|until|from))$/;

/** Every member of a route's request that is called like a date, with the schema that reads it. */
const members = adminRoutes.flatMap(({ id, query, body }) =>
  [query, body].flatMap((schema) =>
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
          .filter(([name]) => dated.test(name))
          .map(([name, reader]) => [`${name} of ${id}`, reader] as const)
      : [],
  ),
);

it.each(members)('a day that there is not is refused: %s', (_name, reader) => {
  for (const text of ['2026-02-30', '2026-13-01', '5', 'yesterday', ''])
    expect([text, reader.safeParse(text).success]).toEqual([text, false]);
});
