import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import fc from 'fast-check';
import { canonicalCode } from '../errors/task-error.js';
import { errorAliases, errorNames, errorRows } from '../errors/error-table.js';
import type { TaskError } from '../errors/task-fault.js';
import { codeIn, projectErrors } from '../errors/project-errors.js';
import { readErrors } from '../errors/read-errors.js';
import type { WireProfile } from '../versions/wire-profile.js';
import { errorOf } from './testkit/arbitrary.js';

/*
 * A seller's error reaches the buyer with code, recovery class, retry time, place and text, from any form and dialect
 * to any other. Only the table of names changes a code's name.
 */
const profiles: readonly WireProfile[] = (['ads', 'adcp'] as const).flatMap((dialect) =>
  (['service', '2.5', '3.0', '3.1'] as const).map((form) => ({ dialect, form })),
);
const codes = errorRows.flatMap(([, , ...listed]) => listed);
const strangers = ['A_CODE_NOBODY_KNOWS', 'lower_case', 'VENDOR-7', '__proto__', 'constructor'];
const everyCode = [...new Set([...codes, ...Object.keys(errorAliases), ...strangers])];

/** Names of codes in a wire profile: the canonical one, or a name in the table. */
const tableNames = new Set(Object.values(errorNames).flatMap((names) => Object.values(names)));

const sent = (payload: unknown): JsonObject => JSON.parse(JSON.stringify(payload)) as JsonObject;

function passedOn(error: TaskError, { dialect, form }: WireProfile): TaskError {
  const [read] = readErrors(sent(projectErrors([error], dialect, form)));
  if (read === undefined) throw new Error('An error was sent and none arrived.');
  return read;
}

const pairs = profiles.flatMap((from) =>
  profiles.map((to) => ({
    from,
    to,
    name: `${from.form} of ${from.dialect} to ${to.form} of ${to.dialect}`,
  })),
);

describe("a seller's error", () => {
  it.each(pairs)('passes from the $name with all known members', ({ from, to }) => {
    fc.assert(
      fc.property(errorOf(fc.constantFrom(...everyCode)), (reported) => {
        const known = passedOn(reported, from);
        expect(passedOn(known, to)).toEqual({
          ...known,
          code: canonicalCode(codeIn(known.code, to.dialect, to.form)),
        });
        // Reading it has added and removed nothing.
        const { recovery, ...rest } = reported;
        expect(known).toMatchObject({
          ...rest,
          code: canonicalCode(codeIn(reported.code, from.dialect, from.form)),
          ...(recovery === undefined ? {} : { recovery }),
        });
      }),
      { numRuns: 100 },
    );
  });

  it.each(everyCode)('of the code %s has its own name in every form, or one in the table', (code) => {
    for (const { dialect, form } of profiles) {
      const name = codeIn(code, dialect, form);
      const isSame = canonicalCode(name) === canonicalCode(code);
      expect(isSame || tableNames.has(name) ? '' : `${code} became ${name} in ${form} of ${dialect}`).toBe(
        '',
      );
    }
  });

  it('passes once, in every shape of an error message', () => {
    fc.assert(
      fc.property(
        errorOf(fc.constantFrom(...codes)),
        fc.constantFrom(...profiles),
        (reported, { dialect, form }) => {
          const known = passedOn(reported, { dialect, form });
          const message = sent(projectErrors([known, { ...known, message: 'another' }], dialect, form));
          expect(readErrors(message).map(({ message: text }) => text)).toEqual([known.message, 'another']);
        },
      ),
    );
  });
});
