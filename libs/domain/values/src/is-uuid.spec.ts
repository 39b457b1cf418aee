import { describe, expect, it } from '@jest/globals';
import { isUuid } from './is-uuid.js';

const id = '0190b5d2-7c1f-7a3e-8b61-2f4c9d0e5a17';

describe('the text of a UUID', () => {
  it('is recognized in upper and lower case', () => {
    expect([id, id.toUpperCase()].map(isUuid)).toEqual([true, true]);
  });

  it.each([
    '',
    'acme',
    `${id} `,
    ` ${id}`,
    `${id}\n`,
    id.slice(1),
    id.replaceAll('-', ''),
    `{${id}}`,
    `${id}'`,
  ])('is not %j, which is never sent to the database', (text) => {
    expect(isUuid(text)).toBe(false);
  });
});
