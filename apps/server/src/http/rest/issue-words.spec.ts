import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { readRequest } from './route-table.js';

const schema = z.strictObject({
  name: z.string().min(1).max(3).exactOptional(),
  count: z.int().min(1).exactOptional(),
  id: z.uuid().exactOptional(),
  kind: z.enum(['x', 'y']).exactOptional(),
  list: z.array(z.string()).min(2).exactOptional(),
  code: z.string().length(3).exactOptional(),
  day: z.iso.date('has to be a day').exactOptional(),
  inner: z.strictObject({ is: z.boolean() }).exactOptional(),
});

it.each([
  [{ name: '' }, 'name', 'is empty'],
  [{ name: 'long' }, 'name', 'has to have at most 3 characters'],
  [{ name: 3 }, 'name', 'has to be text'],
  [{ count: 1.5 }, 'count', 'has to be a whole number'],
  [{ count: 0 }, 'count', 'has to be 1 or more'],
  [{ id: 'x' }, 'id', 'has to be a UUID'],
  [{ kind: 'z' }, 'kind', 'has to be one of x, y'],
  [{ list: ['a'] }, 'list', 'has to have at least 2 items'],
  [{ code: 'ab' }, 'code', 'has to have exactly 3 characters'],
  [{ day: '2026-02-30' }, 'day', 'has to be a day'],
  [{ inner: {} }, 'inner.is', 'is missing'],
  [{ other: 1 }, 'other', 'is not known here'],
])('a request is refused in words that follow the name of its member: %j', (body, field, message) => {
  expect(readRequest(schema, body)).toMatchObject({ ok: false, error: { field, message } });
});
