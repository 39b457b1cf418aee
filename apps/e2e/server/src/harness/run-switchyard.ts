import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '@switchyard/testing';
import { environmentAt } from './own-organizations.js';

export const repositoryRoot = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');
export const switchyardBin = join(repositoryRoot, 'apps/cli/bin/switchyard.mjs');

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const bundle = join(repositoryRoot, 'apps/cli/bundle/index.js');
const tap = join(repositoryRoot, 'libs/testing/dist/wire/preload-tap.js');

/**
 * The environment of a child process: ours without variables that select another database, queue, key or instance, and
 * with the recorder of messages if a suite watches the wire.
 */
export function childEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const foreign = /^(DATABASE_|REDIS_|SWITCHYARD_|AWS_|NODE_OPTIONS$|JEST_|NODE_ENV$)/;
  const stored = Object.entries(process.env).filter(([name]) => !foreign.test(name));
  const watched = process.env['WIRE_TAP_FOLDER'] === undefined ? {} : { NODE_OPTIONS: `--import=${tap}` };
  return { ...Object.fromEntries(stored), NO_COLOR: '1', IS_BUILT: 'true', ...watched, ...more };
}

/** Commands that run on, or that act on this machine instead of asking an instance. */
const alone = new Set(['up', 'migrate', 'backup', 'restore', 'keyring', 'doctor']);

/** Runs one command of the built product and waits for its end; what only asks an instance, in the process of `runCommand`. */
export function runSwitchyard(
  args: readonly string[],
  stdin = '',
  environment: Readonly<Record<string, string>> = {},
): Promise<Finished> {
  const env = childEnvironment({ ...environmentAt(args), ...environment });
  if (alone.has(args[0] ?? '') || 'NODE_OPTIONS' in environment) return runAlone(args, stdin, env);
  return runCommand(bundle, { args, cwd: process.cwd(), input: stdin, env });
}

/** The same in a process of its own. */
function runAlone(args: readonly string[], stdin: string, env: NodeJS.ProcessEnv): Promise<Finished> {
  const child = spawn(process.execPath, [switchyardBin, ...args], { env });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(stdin);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

/** Returns the JSON on a command's standard output, which must contain nothing else. */
export async function jsonOf<T>(args: readonly string[], stdin = ''): Promise<T> {
  const { stdout, stderr } = await runSwitchyard([...args, '--json'], stdin);
  try {
    return JSON.parse(stdout) as T;
  } catch {
    throw new Error(`switchyard ${args.join(' ')} printed no JSON: ${stdout}${stderr}`);
  }
}
