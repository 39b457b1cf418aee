import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readdir, rm, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { mediaTypes, type Media } from './media-of.js';

/** A file of a creative. Its name cannot be guessed: sellers fetch it without a credential. */
export interface CreativeFile {
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly storedAt: number;
}

/** The files of creatives, in a folder that all processes share or in a bucket. Each organization has a part of its own. */
export interface CreativeFolder {
  put(organizationId: string, bytes: Buffer, extension: Media['extension']): Promise<CreativeFile>;
  list(organizationId: string): Promise<readonly CreativeFile[]>;
  /** Removes every file of an organization. */
  removeAll(organizationId: string): Promise<void>;
  /** False if there is no such file. */
  remove(organizationId: string, name: string): Promise<boolean>;
  /** What stands at a public path; undefined if nothing does. Whoever gets it reads or destroys `content`. */
  open(
    key: string,
    name: string,
  ): Promise<{ readonly content: Readable; readonly bytes: number; readonly type: string } | undefined>;
  /** The part of a public path that stands for an organization. */
  keyOf(organizationId: string): string;
}

/** A new name of a file, which nobody can guess. */
export const newName = (extension: Media['extension']): string =>
  `${randomBytes(18).toString('base64url')}.${extension}`;

/** The part of a public path that stands for an organization. */
export const keyOfOrganization = (organizationId: string): string =>
  createHash('sha256').update(`creative files of ${organizationId}`).digest('hex').slice(0, 32);

/** The media type of a file, if both parts of its public path have the form of ours. */
export function typeAt(key: string, name: string): string | undefined {
  const [, extension] = nameForm.exec(name) ?? [];
  return keyForm.test(key) && extension !== undefined
    ? mediaTypes[extension as Media['extension']]
    : undefined;
}

export const newestFirst = (files: readonly CreativeFile[]): readonly CreativeFile[] =>
  files.toSorted((a, b) => b.storedAt - a.storedAt || (a.name < b.name ? -1 : 1));

const nameForm = new RegExp(`^[A-Za-z0-9_-]{24}\\.(${Object.keys(mediaTypes).join('|')})$`);
/** Of a file that is being sent, this much is in memory. */
const pieceBytes = 64 * 1024;
const keyForm = /^[0-9a-f]{32}$/;

const isMissing = (error: unknown): boolean =>
  (error as { readonly code?: unknown } | null)?.code === 'ENOENT';

/** Undefined instead of the failure that something is not there. */
async function orMissing<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

export function creativeFolder(root: string): CreativeFolder {
  const keyOf = keyOfOrganization;
  return {
    keyOf,
    put: async (organizationId, bytes, extension) => {
      const folder = join(root, keyOf(organizationId));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = newName(extension);
      await writeFile(join(folder, name), bytes, { flag: 'wx', mode: 0o600 });
      const written = await open(join(folder, name));
      try {
        await written.sync();
      } finally {
        await written.close();
      }
      return { name, bytes: bytes.length, storedAt: (await stat(join(folder, name))).mtimeMs };
    },
    list: async (organizationId) => {
      const folder = join(root, keyOf(organizationId));
      const names = ((await orMissing(readdir(folder))) ?? []).filter((name) => nameForm.test(name));
      const found = await Promise.all(
        names.map(async (name) => {
          const facts = await orMissing(stat(join(folder, name)));
          return facts === undefined ? [] : [{ name, bytes: facts.size, storedAt: facts.mtimeMs }];
        }),
      );
      return newestFirst(found.flat());
    },
    removeAll: (organizationId) => rm(join(root, keyOf(organizationId)), { recursive: true, force: true }),
    remove: async (organizationId, name) => {
      if (!nameForm.test(name)) return false;
      const path = join(root, keyOf(organizationId), name);
      return (await orMissing(unlink(path).then(() => true))) ?? false;
    },
    open: async (key, name) => {
      const type = typeAt(key, name);
      const file = type === undefined ? undefined : await orMissing(open(join(root, key, name)));
      if (type === undefined || file === undefined) return undefined;
      const { size: bytes } = await file.stat();
      return { content: file.createReadStream({ highWaterMark: pieceBytes }), bytes, type };
    },
  };
}
