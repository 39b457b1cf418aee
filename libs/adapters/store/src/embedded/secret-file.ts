import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * The text of a secret that is made on first use: 32 random bytes in hexadecimal, in a file that only its owner can
 * read. The first process to create the file decides; every other one reads it.
 */
export function readOrMakeSecret(path: string): string {
  let handle: number;
  try {
    handle = openSync(path, 'wx', 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return readWhole(path);
    throw error;
  }
  try {
    writeSync(handle, randomBytes(32).toString('hex'));
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  return readWhole(path);
}

function readWhole(path: string): string {
  const text = readFileSync(path, 'utf8').trim();
  if (!/^[0-9a-f]{64}$/.test(text))
    throw new Error(`${path} should hold 64 hexadecimal digits. Restore it from a backup.`);
  return text;
}
