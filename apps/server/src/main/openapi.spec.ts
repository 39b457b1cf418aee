import { describe, expect, it } from '@jest/globals';
import { adminRoutes } from './routes.js';
import { openApi, type Operation } from './openapi.js';

interface Answered {
  readonly content?: Readonly<Record<string, { readonly example?: unknown }>>;
}

const operations = Object.entries(openApi('http://127.0.0.1', '1').paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => [`${method} ${path}`, operation] as const),
);
/** The JSON answer of a request that is done. */
const answerOf = ({ responses }: Operation): { readonly example?: unknown } | undefined =>
  Object.entries(responses as Readonly<Record<string, Answered>>).find(([status]) =>
    status.startsWith('2'),
  )?.[1].content?.['application/json'];

describe('the document of /v1', () => {
  it('has an example of every JSON answer', () => {
    const answers = operations.filter(([, operation]) => answerOf(operation) !== undefined);
    expect(answers.length).toBeGreaterThan(150);
    expect(
      answers.filter(([, operation]) => answerOf(operation)?.example === undefined).map(([name]) => name),
    ).toEqual([]);
  });

  it.each(adminRoutes.map((row) => [`${row.method} ${row.path}`, row] as const))(
    'has an example that the schema of %s accepts',
    (name, row) => {
      const example = answerOf(operations.find(([text]) => text === name)![1])?.example;
      expect(row.answer.safeParse(example).error?.issues ?? []).toEqual([]);
    },
  );

  it('has a value that looks like a real one for each text of an example: an id, an amount, a day, a name', () => {
    const found: string[] = [];
    const look = (value: unknown, name: string): void => {
      if (value === name.replaceAll('_', ' ')) found.push(name);
      if (typeof value === 'object' && value !== null)
        for (const [member, one] of Object.entries(value)) look(one, Array.isArray(value) ? name : member);
    };
    for (const [, operation] of operations) look(answerOf(operation)?.example, '');
    expect(found).toEqual([]);
  });
});
