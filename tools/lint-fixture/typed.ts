/**
 * Proves that oxlint enforces its rules, those with types too: each line here breaks the rule that its directive names,
 * and a directive that silences nothing is an error.
 */
// oxlint-disable-next-line typescript/consistent-type-imports
import { Buffer } from 'node:buffer';

interface Named {
  readonly name: string;
  readonly inner?: { readonly depth: number };
}

export function bytesOf(buffer: Buffer, named: Named, work: Promise<void>): unknown {
  // oxlint-disable-next-line no-unused-vars
  const unread = 1;
  // oxlint-disable-next-line typescript/no-floating-promises
  work.then(() => undefined);
  // oxlint-disable-next-line typescript/no-floating-promises
  void work;
  // oxlint-disable-next-line typescript/no-unsafe-assignment
  const parsed: string = JSON.parse(named.name);
  // oxlint-disable-next-line typescript/no-explicit-any
  const anything: any = parsed;
  // oxlint-disable-next-line typescript/no-unsafe-call, typescript/no-unsafe-member-access
  anything.call();
  // oxlint-disable-next-line typescript/no-unnecessary-condition
  if (named.name === undefined) return buffer;
  // oxlint-disable-next-line typescript/no-misused-promises
  [1].forEach(async () => work);
  // oxlint-disable-next-line typescript/prefer-optional-chain
  const depth = named.inner && named.inner.depth;
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion
  const same = parsed as string;
  // oxlint-disable-next-line typescript/no-non-null-assertion
  return [same, depth!];
}

// oxlint-disable-next-line typescript/require-await
export async function fails(): Promise<number> {
  // oxlint-disable-next-line no-debugger
  debugger;
  // oxlint-disable-next-line typescript/only-throw-error
  throw 'a word';
}
