import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import ts from 'typescript';
import { taskTable } from '../task-table.js';
import { answersOf } from './testkit/answers.js';

/*
 * Checks that the generated answers are complete, from the types themselves: each member of each answer's type at any
 * depth, and each value of a union of texts, must occur in a generated answer.
 */

const file = fileURLToPath(new URL('../task-table.ts', import.meta.url));
const program = ts.createProgram([file], {
  strict: true,
  exactOptionalPropertyTypes: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  noEmit: true,
  types: [],
});
const checker = program.getTypeChecker();

/** The parameter type of a task's `projectAnswer`. */
function answerTypeOf(row: string): ts.Type {
  const source = program.getSourceFile(file);
  if (source === undefined) throw new Error('The table of tasks is not there.');
  const table = checker
    .getExportsOfModule(checker.getSymbolAtLocation(source)!)
    .find(({ name }) => name === 'taskTable');
  const spec = checker.getTypeOfSymbol(table!).getProperty(row);
  const method = checker.getTypeOfSymbol(spec!).getProperty('projectAnswer');
  const [signature] = checker.getTypeOfSymbol(method!).getCallSignatures();
  return checker.getTypeOfSymbol(signature!.getParameters()[0]!);
}

/** Paths of a type's members, and of the values of unions. */
function membersOf(type: ts.Type, path: string): readonly string[] {
  const parts = type.isUnion() ? type.types : [type];
  const present = parts.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
  return present.flatMap((part) => {
    if (part.isStringLiteral()) return [`${path}=${part.value}`];
    if ((part.flags & ts.TypeFlags.Object) === 0) return [path];
    if (checker.isArrayType(part)) {
      const [item] = checker.getTypeArguments(part as ts.TypeReference);
      return [path, ...membersOf(item!, `${path}[]`)];
    }
    // A peer's own object and counts by name may have any members.
    if (part.getStringIndexType() !== undefined || path.endsWith('original')) return [path];
    const dot = path === '' ? '' : '.';
    return part
      .getProperties()
      .flatMap((member) => [
        `${path}${dot}${member.name}`,
        ...membersOf(checker.getTypeOfSymbol(member), `${path}${dot}${member.name}`),
      ]);
  });
}

function pathsIn(value: unknown, path: string, found: Set<string>): void {
  if (value === undefined || value === null) return;
  if (path !== '') found.add(path);
  if (typeof value === 'string') found.add(`${path}=${value}`);
  if (Array.isArray(value)) for (const item of value) pathsIn(item, `${path}[]`, found);
  else if (typeof value === 'object')
    for (const [name, inner] of Object.entries(value))
      pathsIn(inner, path === '' ? name : `${path}.${name}`, found);
}

/** A value `{}` means any other text, which cannot be listed. */
const isOpen = (path: string): boolean => path.endsWith('{}');

/** Read from a seller's text as evidence, and never written: our answers have their times in UTC. */
const onlyRead: ReadonlySet<string> = new Set(['period.startOffset', 'period.endOffset']);

describe('generated answers', () => {
  it.each(Object.keys(taskTable) as (keyof typeof taskTable)[])(
    'fill every member of the answer of %s, with every value',
    (row) => {
      const wanted = new Set(
        membersOf(answerTypeOf(row), '').filter(
          (path) => path !== '' && !isOpen(path) && !onlyRead.has(path),
        ),
      );
      expect(wanted.size).toBeGreaterThan(0);
      const found = new Set<string>();
      for (const sample of fc.sample(answersOf(row), { numRuns: 400, seed: 7 })) pathsIn(sample, '', found);
      expect([...wanted].filter((path) => !found.has(path))).toEqual([]);
    },
  );
});
