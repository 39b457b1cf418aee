import {
  accessSync,
  constants,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '@switchyard/values';
import { dropStaleFile } from '../core/drop-stale-file.js';
import { processStart } from './process-start.js';

/** The address of an instance, once it is known. */
interface InstanceInfo {
  readonly url?: string;
}

/** The holder of the data folder. */
interface RunningInstance extends InstanceInfo {
  readonly pid: number;
}

export interface InstanceLock {
  /** Writes the address of this instance. */
  update(info: InstanceInfo): void;
  /** Releases the data folder. A second call changes nothing. */
  release(): void;
}

type LockFailure =
  | { readonly code: 'running'; readonly message: string; readonly running: RunningInstance }
  | { readonly code: 'not_writable'; readonly message: string };

interface Holder extends RunningInstance {
  readonly start: string;
}

const fileName = 'instance.json';

/**
 * Locks a data folder for this process, or returns its holder. A lock is taken over if its process is gone, even if
 * another process has its pid now.
 */
export function lockInstance(dataDir: string): Result<InstanceLock, LockFailure> {
  const folder = resolve(dataDir);
  try {
    makeFolder(folder);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return takeLock(folder);
  } catch (error) {
    const reason = reasons[(error as NodeJS.ErrnoException).code ?? ''];
    if (reason === undefined) throw error;
    return err({ code: 'not_writable', message: `The data folder ${folder} ${reason}` });
  }
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'cannot be written to. Start as the user it belongs to, or choose another with --data.',
  EPERM: 'cannot be written to. Start as the user it belongs to, or choose another with --data.',
  EROFS: 'is on a file system that is mounted read-only. Choose another with --data.',
  ENOENT: 'cannot be made: its file system takes no folders there. Choose another with --data.',
  ENOTDIR: 'cannot be used: a part of its path is a file. Choose another with --data.',
  EEXIST: 'cannot be used: it is a file. Choose another with --data.',
  ENOSPC: 'cannot be written to: its disk is full. Free some space, or choose another with --data.',
  EDQUOT: 'cannot be written to: your quota is used up. Free some space, or choose another with --data.',
};

function takeLock(folder: string): Result<InstanceLock, LockFailure> {
  const path = join(folder, fileName);
  const start = processStart(process.pid);
  if (start === undefined) throw new Error('/proc does not show this process.');
  const holderWith = (more: InstanceInfo): Holder => ({ pid: process.pid, start, ...more });
  for (;;) {
    if (takeFresh(path, holderWith({}))) return ok(lockOn(path, holderWith));
    const holder = readHolder(path);
    if (holder !== undefined && processStart(holder.pid) === holder.start) {
      const { start: _hidden, ...running } = holder;
      const where = running.url === undefined ? 'it is starting' : `at ${running.url}`;
      const message = `Switchyard is running on ${folder} already: process ${running.pid}, ${where}.`;
      return err({ code: 'running', message, running });
    }
    dropStaleFile(path, (aside) => {
      const moved = readHolder(aside);
      return moved === undefined || isSame(moved, holder);
    });
  }
}

/** Node.js's recursive mkdir never ends if a file system answers ENOENT below an existing folder, as /proc does. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Of two concurrent first starts, one makes it.
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** The file appears whole or not at all, and only if there is none: a link never replaces a file. */
function takeFresh(path: string, holder: Holder): boolean {
  const draft = `${path}.${process.pid}`;
  try {
    writeFileSync(draft, JSON.stringify(holder), { mode: 0o600 });
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function lockOn(path: string, holderWith: (info: InstanceInfo) => Holder): InstanceLock {
  let isHeld = true;
  return {
    update: (info) => {
      if (!isHeld) return;
      const draft = `${path}.${process.pid}`;
      writeFileSync(draft, JSON.stringify(holderWith(info)), { mode: 0o600 });
      renameSync(draft, path);
    },
    release: () => {
      if (isHeld && isSame(holderWith({}), readHolder(path))) rmSync(path, { force: true });
      isHeld = false;
    },
  };
}

function isSame(one: Holder, other: Holder | undefined): boolean {
  return one.pid === other?.pid && one.start === other.start;
}

function readHolder(path: string): Holder | undefined {
  try {
    const read = JSON.parse(readFileSync(path, 'utf8')) as Partial<Record<keyof Holder, unknown>> | null;
    if (typeof read?.pid !== 'number' || typeof read.start !== 'string') return undefined;
    return { pid: read.pid, start: read.start, ...(typeof read.url === 'string' ? { url: read.url } : {}) };
  } catch {
    return undefined;
  }
}
