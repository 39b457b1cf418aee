import { linkSync, renameSync, rmSync } from 'node:fs';

/** Removes a file that was found stale. It is moved aside and judged again: if another process wrote a new one, that is put back. */
export function dropStaleFile(path: string, isStale: (aside: string) => boolean): void {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
    if (!isStale(aside)) linkSync(aside, path);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}
