import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import type { CliDeps } from './deps.js';
import type { CliFailure } from './outcome.js';

/** A file that a command writes: its name and contents. */
interface FileToWrite {
  readonly name: string;
  readonly content: Buffer | string;
}

/**
 * Writes files that belong together, each under a temporary name first, so that an aborted command leaves no incomplete
 * file. The last one marks completion: it exists only if the others do.
 */
export function writeFiles(deps: CliDeps, files: readonly FileToWrite[]): Result<undefined, CliFailure> {
  const paths = files.map(({ name }) => resolve(deps.cwd, name));
  const begun = paths.map((path) => `${path}.part`);
  let at = 0;
  try {
    for (; at < files.length; at += 1) writeFileSync(begun[at] ?? '', files[at]?.content ?? '');
    if (files.length > 1) rmSync(paths.at(-1) ?? '', { force: true });
    for (at = 0; at < files.length; at += 1) renameSync(begun[at] ?? '', paths[at] ?? '');
    return ok(undefined);
  } catch (error) {
    for (const path of begun) rmSync(path, { force: true });
    const { code } = error as NodeJS.ErrnoException;
    return err({ message: `${files[at]?.name ?? ''} cannot be written (${code ?? 'unknown error'}).` });
  }
}
