import { mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isJsonObject, ok, parseStrictJson, type JsonObject, type Result } from '@switchyard/values';
import type { CliDeps } from '../deps.js';
import { defaultDataFolder } from '../instance-files.js';
import type { CliFailure } from '../outcome.js';
import { writeFiles } from '../write-files.js';

/** Fingerprints of keys that were found to be a domain's, with the time of each: `{ [fingerprint]: RFC 3339 }`. */
export type StoredKeys = Readonly<Record<string, string>>;

/** The fingerprints in a data folder, by domain. They make a later check possible without network. */
export interface StoredSigners {
  of(organization: string): StoredKeys;
  /** Stores a key that was just found to be the domain's. */
  add(organization: string, fingerprint: string): Result<undefined, CliFailure>;
}

const fileName = 'signers.json';

export function storedSigners(deps: CliDeps, data: string | undefined, now: string): StoredSigners {
  const folder = resolve(deps.cwd, data ?? defaultDataFolder);
  const path = join(folder, fileName);
  const read = (): JsonObject => {
    try {
      const parsed = parseStrictJson(readFileSync(path));
      return parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
    } catch {
      return {};
    }
  };
  const of = (organization: string): StoredKeys => {
    const keys = Object.hasOwn(read(), organization) ? read()[organization] : undefined;
    if (!isJsonObject(keys)) return {};
    return Object.fromEntries(
      Object.entries(keys).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
  };
  return {
    of,
    add: (organization, fingerprint) => {
      const known = of(organization);
      if (Object.hasOwn(known, fingerprint)) return ok(undefined);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const keys = { ...read(), [organization]: { ...known, [fingerprint]: now } };
      return writeFiles(deps, [{ name: path, content: `${JSON.stringify(keys, null, 2)}\n` }]);
    },
  };
}
