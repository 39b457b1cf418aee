import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What `switchyard token --json` prints. */
export interface Access {
  readonly url: string;
  readonly mcp_url: string;
  readonly a2a_url: string;
  readonly token: string;
}

export interface CommandResult {
  readonly exitCode: number;
  /** Standard output, parsed where it is JSON. */
  readonly json: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built product, running as an operator would run it. */
export interface RunningSwitchyard {
  readonly access: Access;
  readonly folder: string;
  /** Runs one command of the product on this instance, with `--json`. */
  command(...args: readonly string[]): Promise<CommandResult>;
  /** The same with something on standard input. */
  commandWith(stdin: string, ...args: readonly string[]): Promise<CommandResult>;
  /** Writes a file beside the data folder and answers its path. */
  file(name: string, content: unknown): Promise<string>;
  /** Stops the processes and removes every file of this instance. */
  remove(): Promise<void>;
  /** Everything it printed so far. */
  output(): string;
}

const bin = fileURLToPath(new URL('../../../../cli/bin/switchyard.mjs', import.meta.url));

/** Starts the committed command on a fresh data folder, and returns once its sellers are live. */
export async function startSwitchyard(...options: readonly string[]): Promise<RunningSwitchyard> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-interop-'));
  const data = join(folder, 'data');
  const printed: string[] = [];
  const child = spawn(process.execPath, [bin, 'up', '--data', data, '--no-campaign', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, NO_COLOR: '1' },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => printed.push(text));
  const runWith = (stdin: string, args: readonly string[]): Promise<CommandResult> =>
    runNode([bin, ...args, '--data', data, '--json'], { stdin });
  const run = (...args: readonly string[]): Promise<CommandResult> => runWith('', args);
  const remove = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await printedLine(child, () => printed.join(''), 'Doors at ');
    const token = await run('token');
    if (token.exitCode !== 0) throw new Error(token.stderr);
    return {
      access: token.json as Access,
      folder,
      command: run,
      commandWith: (stdin, ...args) => runWith(stdin, args),
      file: async (name, content) => {
        const path = join(folder, name);
        await writeFile(path, JSON.stringify(content), { mode: 0o600 });
        return path;
      },
      remove,
      output: () => printed.join(''),
    };
  } catch (error) {
    await remove();
    throw new Error(`Switchyard did not start: ${printed.join('')}`, { cause: error });
  }
}

/** Resolves when the process has printed this; rejects when it ended first. */
function printedLine(child: ChildProcess, printed: () => string, wanted: string): Promise<void> {
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', () => {
      if (printed().includes(wanted)) resolve();
    });
    child.once('exit', (code) => reject(new Error(`it ended with ${code ?? 'a signal'}`)));
  });
}

/** Runs one Node program to its end. */
export function runNode(
  args: readonly string[],
  { stdin = '', env = {} }: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { env: { ...process.env, NO_COLOR: '1', ...env } });
    const out: string[] = [];
    const complaints: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
    child.once('error', reject);
    child.stdin.end(stdin);
    child.once('close', (code) => {
      const stdout = out.join('');
      resolve({ exitCode: code ?? -1, json: jsonIn(stdout), stdout, stderr: complaints.join('') });
    });
  });
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Asks it to stop and waits; what does not stop in time is killed with its whole group. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  const { pid } = child;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const impatient = setTimeout(() => process.kill(-pid, 'SIGKILL'), 15_000);
  await ended;
  clearTimeout(impatient);
}
