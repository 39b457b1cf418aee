import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileHash } from '@switchyard/tables';
import { err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { StartFailure } from '../../platform/start-failure.js';

const format = 'switchyard.backup.1';
const file = z.strictObject({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });

/** What a backup holds. It is written last: a folder without it is no backup. */
const manifest = z.strictObject({
  format: z.literal(format),
  version: z.string(),
  made_at: z.iso.datetime(),
  kind: z.enum(['cluster', 'dump']).describe('The files of the embedded database, or a dump of an own one.'),
  postgres: z.int(),
  newest_migration: z.string(),
  key_ids: z
    .array(z.string())
    .describe('Master keys that open the secrets. The keys themselves are never here.'),
  ledgers: z.array(
    z.strictObject({
      organization: z.string(),
      number: z.string(),
      hash: z.string(),
      entries: z.string(),
      signed: z.strictObject({ jws: z.string(), key: z.record(z.string(), z.json()) }).exactOptional(),
    }),
  ),
  files: z.record(z.string(), file),
});

export type Manifest = z.output<typeof manifest>;

export const manifestName = 'manifest.json';

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else yield path;
  }
}

/** Size and SHA-256 of every file of a folder. */
export async function filesOf(folder: string): Promise<Manifest['files']> {
  const files: Manifest['files'] = {};
  for (const path of filesBelow(folder))
    files[relative(folder, path)] = { bytes: statSync(path).size, sha256: await fileHash(path) };
  return files;
}

/** Reads the manifest of a backup, and checks that each file is there, whole, and that no other one is. */
export async function checkedManifest(folder: string): Promise<Result<Manifest, StartFailure>> {
  const refused = (message: string) => err({ code: 'backup', message });
  let read: z.ZodSafeParseResult<Manifest>;
  try {
    read = manifest.safeParse(JSON.parse(readFileSync(join(folder, manifestName), 'utf8')));
  } catch {
    return refused(`${folder} is no backup: it has no ${manifestName} that can be read.`);
  }
  if (!read.success) return refused(`${manifestName} of ${folder} is not of a backup of this version.`);
  const found = new Map(Object.entries(await filesOf(folder)));
  found.delete(manifestName);
  for (const [name, { bytes, sha256 }] of Object.entries(read.data.files)) {
    const there = found.get(name);
    if (there?.bytes !== bytes || there.sha256 !== sha256)
      return refused(`${name} of ${folder} is missing or was changed.`);
    found.delete(name);
  }
  const [other] = found.keys();
  return other === undefined ? ok(read.data) : refused(`${other} of ${folder} is not of this backup.`);
}
