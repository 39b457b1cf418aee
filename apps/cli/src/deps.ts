import type { Readable, Writable } from 'node:stream';

/** What the command line takes from its surroundings. A test hands in its own. */
export interface CliDeps {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True where tables and progress may be coloured. */
  readonly color: boolean;
  /** How wide a table may be, in characters; without a number as wide as it is (`--wide` takes the number away). */
  readonly layout: { columns?: number };
  /** Sets what the process ends with: 0 done, 1 it failed, 2 wrong usage. */
  exitWith(code: 0 | 1 | 2): void;
}
