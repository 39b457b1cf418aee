import type { Readable, Writable } from 'node:stream';

/** What the command line takes from its surroundings. A test hands in its own. */
export interface CliDeps {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True where tables and progress may be coloured. */
  readonly color: boolean;
  /** Sets what the process ends with: 0 done, 1 it failed, 2 wrong usage. */
  exitWith(code: 0 | 1 | 2): void;
}
