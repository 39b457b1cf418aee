import { expect, it } from '@jest/globals';
import { z } from 'zod';
import { readRequest } from './request-form.js';

const schema = z.strictObject({
  name: z.string().min(1).max(3).exactOptional(),
  count: z.int().min(1).exactOptional(),
  id: z.uuid().exactOptional(),
  kind: z.enum(['x', 'y']).exactOptional(),
  list: z.array(z.string()).min(2).exactOptional(),
  code: z.string().length(3).exactOptional(),
  day: z.iso.date('must be a day').exactOptional(),
  inner: z.strictObject({ is: z.boolean() }).exactOptional(),
});

it.each([
  [{ name: '' }, 'name', 'is empty'],
  [{ name: 'long' }, 'name', 'must be a text of 3 characters or fewer'],
  [{ name: 3 }, 'name', 'must be a text'],
  [{ count: 1.5 }, 'count', 'must be a whole number'],
  [{ count: 0 }, 'count', 'must be 1 or more'],
  [{ id: 'x' }, 'id', 'must be a UUID'],
  [{ kind: 'z' }, 'kind', 'must be one of x, y'],
  [{ list: ['a'] }, 'list', 'must be a list of 2 or more'],
  [{ code: 'ab' }, 'code', 'must be a text of 3 characters'],
  [{ day: '2026-02-30' }, 'day', 'must be a day'],
  [{ inner: {} }, 'inner.is', 'is missing'],
  [{ other: 1 }, 'other', 'is not a known member'],
])('a refusal continues the name of its member as a sentence: %j', (body, field, message) => {
  expect(readRequest(schema, body)).toMatchObject({ ok: false, error: { field, message } });
});
