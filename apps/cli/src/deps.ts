import type { Readable, Writable } from 'node:stream';

/**
 * 2: wrong usage. 3: consistent, and the signer is unknown. 4: nothing was found. 5: a file leaves something open. 6: it waits
 * for a person.
 */
export type ExitCode = 2 | 3 | 4 | 5 | 6;

/** The environment of the command line. A test passes its own. */
export interface CliDeps {
  readonly stdout: Writable & { readonly isTTY?: boolean };
  readonly stderr: Writable;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** True if tables and progress may be coloured. */
  readonly color: boolean;
  /** The greatest width of a table, in characters; if absent, tables have their full width (`--wide` removes it). */
  readonly layout: { columns?: number };
  /** Sets the exit code of the process: 0 done, 1 failed, or one of `ExitCode`. */
  exitWith(code: 0 | 1 | ExitCode): void;
}
