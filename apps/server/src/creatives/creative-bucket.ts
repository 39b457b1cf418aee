import type { Readable } from 'node:stream';
import type { Instant, Result } from '@switchyard/values';
import {
  keyOfOrganization,
  newestFirst,
  newName,
  typeAt,
  type CreativeFile,
  type CreativeFolder,
} from './creative-folder.js';

type Answered<Value> = Promise<Result<Value, { readonly message: string }>>;

/** Objects by their paths, in a bucket of S3. */
export interface ObjectStore {
  put(path: string, body: Buffer): Answered<void>;
  /** While it arrives. */
  open(path: string): Answered<{ readonly content: Readable; readonly bytes: number } | undefined>;
  remove(path: string): Answered<void>;
  list(
    prefix: string,
  ): Answered<readonly { readonly path: string; readonly bytes: number; readonly storedAt: Instant }[]>;
}

/** The files of creatives in a bucket, below `prefix`: one path for each organization. A fault of the bucket rejects. */
export function creativeBucket(objects: ObjectStore, prefix: string, now: () => Instant): CreativeFolder {
  const pathOf = (key: string, name: string): string =>
    [prefix, key, name].filter((step) => step !== '').join('/');
  const list = async (organizationId: string): Promise<readonly CreativeFile[]> => {
    const key = keyOfOrganization(organizationId);
    const folder = `${pathOf(key, '')}/`;
    return heldBy(await objects.list(folder)).flatMap(({ path, bytes, storedAt }) => {
      const name = path.slice(folder.length);
      return typeAt(key, name) === undefined ? [] : [{ name, bytes, storedAt }];
    });
  };
  return {
    keyOf: keyOfOrganization,
    put: async (organizationId, bytes, extension) => {
      const name = newName(extension);
      heldBy(await objects.put(pathOf(keyOfOrganization(organizationId), name), bytes));
      return { name, bytes: bytes.length, storedAt: now() };
    },
    list: async (organizationId) => newestFirst(await list(organizationId)),
    removeAll: async (organizationId) => {
      const key = keyOfOrganization(organizationId);
      for (const { name } of await list(organizationId)) heldBy(await objects.remove(pathOf(key, name)));
    },
    remove: async (organizationId, name) => {
      const key = keyOfOrganization(organizationId);
      // A bucket says of an object that was never there that it is removed.
      if (typeAt(key, name) === undefined) return false;
      if (!(await list(organizationId)).some((file) => file.name === name)) return false;
      heldBy(await objects.remove(pathOf(key, name)));
      return true;
    },
    open: async (key, name) => {
      const type = typeAt(key, name);
      const found = type === undefined ? undefined : heldBy(await objects.open(pathOf(key, name)));
      return type === undefined || found === undefined ? undefined : { ...found, type };
    },
  };
}

function heldBy<Value>(answer: Result<Value, { readonly message: string }>): Value {
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}
