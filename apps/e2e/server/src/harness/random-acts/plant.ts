import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { repositoryRoot } from '../run-switchyard.js';

/** A text of the server's bundle, and what stands in its place. */
interface PlantedText {
  readonly text: string;
  readonly by: string;
}

/** A fault that is put into a copy of the built server, to see that it is found. */
export interface Plant {
  readonly name: string;
  /** Where it is put, and what is wrong then. */
  readonly what: string;
  readonly bundle: PlantedText;
  /** The invariant that must find it, and the acts by which it can. */
  readonly finds: { readonly invariant: string; readonly acts: readonly string[] };
}

/**
 * A copy of the built program in which one text is replaced. Everything else is linked.
 *
 * @throws Error if the text does not stand in the bundle exactly once: then the fault is not where it was
 */
export function plantedBin({ text, by }: PlantedText): { readonly path: string; remove(): void } {
  const root = mkdtempSync(join(tmpdir(), 'switchyard-planted-'));
  linkAll(repositoryRoot, root, ['apps']);
  linkAll(join(repositoryRoot, 'apps'), join(root, 'apps'), ['cli']);
  const [from, to] = [join(repositoryRoot, 'apps/cli'), join(root, 'apps/cli')];
  linkAll(from, to, ['bin', 'bundle']);
  // What Node starts and what it loads must be files of this place: it resolves links first.
  copyAll(join(from, 'bin'), join(to, 'bin'));
  copyAll(join(from, 'bundle'), join(to, 'bundle'));
  const servers = readdirSync(join(to, 'bundle')).filter((name) => /^of-server-.*\.cjs$/.test(name));
  const [server = ''] = servers;
  const path = join(to, 'bundle', server);
  const parts = readFileSync(path, 'utf8').split(text);
  if (servers.length !== 1 || parts.length !== 2)
    throw new Error(`The bundle has ${String(parts.length - 1)} times, and not once: ${text}`);
  writeFileSync(path, parts.join(by));
  return {
    path: join(to, 'bin/switchyard.mjs'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

function linkAll(from: string, to: string, except: readonly string[]): void {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from))
    if (!except.includes(name)) symlinkSync(join(from, name), join(to, name));
}

/** Without the compiled code of the other text: V8 compares only its length. */
function copyAll(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from))
    if (!name.endsWith('.compiled')) copyFileSync(join(from, name), join(to, name));
}
