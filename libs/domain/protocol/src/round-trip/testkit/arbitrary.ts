import type { JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import type { Original } from '../../message/original.js';
import type { TaskError } from '../../errors/task-fault.js';

type OptionalKeys<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];
type RequiredKeys<T> = Exclude<keyof T, OptionalKeys<T>>;
type Some<T, K extends keyof T> = { readonly [P in K]-?: fc.Arbitrary<Exclude<T[P], undefined>> };

/**
 * Values of a type. Each member is listed, so a new member of the type does not compile until it is added here. Members
 * of the second list are present or absent, in every combination.
 */
export function shape<T>(
  always: Some<T, RequiredKeys<T>>,
  sometimes: Some<T, OptionalKeys<T>>,
): fc.Arbitrary<T> {
  const arbitraries = { ...always, ...sometimes } as unknown as Record<string, fc.Arbitrary<unknown>>;
  const record = fc.record<Record<string, unknown>>(arbitraries, {
    requiredKeys: Object.keys(always),
    noNullPrototype: true,
  });
  return record as unknown as fc.Arbitrary<T>;
}

export const word = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/);
export const words = fc.uniqueArray(word, { minLength: 1, maxLength: 3 });
export const flag = fc.boolean();
export const count = fc.integer({ min: 0, max: 1_000_000 });
/** Decimal text as in JSON, without trailing zeros. */
export const amount = fc.integer({ min: 1, max: 10_000_000 }).map((cents) => String(cents / 100));
export const currency = fc.constantFrom('USD', 'EUR', 'JPY');
export const country = fc.constantFrom('US', 'DE', 'FR');
export const domain = fc.constantFrom('news.example', 'sport.example', 'wetter.example');
export const address = fc.constantFrom('https://one.example', 'https://two.example/agent');
/** RFC 3339, as Switchyard writes it. */
export const moment = fc
  .integer({ min: 0, max: 5_000_000 })
  .map((minutes) => new Date(Date.UTC(2026, 0, 1) + minutes * 60_000).toISOString());
/** A half-open period of whole hours: less than one day, one day, or two, because older forms have whole days only. */
export const period = fc.tuple(moment, fc.constantFrom(1, 24, 48)).map(([start, hours]) => ({
  start,
  end: new Date(Date.parse(start) + hours * 3_600_000).toISOString(),
}));
/** Members of a peer that nothing here reads. */
export const opaque: fc.Arbitrary<JsonObject> = fc.record(
  { trace: word, size: count },
  { noNullPrototype: true },
);
export const list = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(one, { maxLength: 3 });
export const some = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength: 1, maxLength: 3 });

/** An object of our own, without a peer's original. */
export const ours: fc.Arbitrary<Original> = fc.constant({ form: 'ours' as const, value: {} });

const recovery = fc.constantFrom('transient' as const, 'correctable' as const, 'terminal' as const);
const issue = fc.record(
  { pointer: fc.constant('/packages/0/budget'), message: word, keyword: fc.constantFrom('minimum', 'type') },
  { noNullPrototype: true },
);

/** Errors with canonical codes, or with an unknown one. */
export const errorOf = (code: fc.Arbitrary<string>): fc.Arbitrary<TaskError> =>
  shape<TaskError>(
    { code, message: word },
    {
      field: fc.constantFrom('packages[0].budget', 'brand.domain'),
      suggestion: word,
      recovery,
      retryAfter: fc.integer({ min: 1, max: 3_600 }),
      issues: some(issue),
      details: opaque,
    },
  );
