import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/**
 * The text of a secret that is made on first use: 32 random bytes in hexadecimal, in a file that only its owner can
 * read. The first process to create the file decides; every other one reads it. The file appears whole or not at all.
 */
export function readOrMakeSecret(path: string): string {
  if (!existsSync(path)) make(path);
  return readWhole(path);
}

function make(path: string): void {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, randomBytes(32).toString('hex'), { mode: 0o600, flush: true });
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readWhole(path: string): string {
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${path} should hold 64 hexadecimal digits. Restore it from a backup.`);
  return text;
}
