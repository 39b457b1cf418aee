import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { prepareFolder } from '@switchyard/e2e-server';
import { runProduct, type CommandResult } from './run-node.js';
import { launchSwitchyard } from './switchyard-process.js';

/** The output of `switchyard token --json`. */
export interface Access {
  readonly url: string;
  readonly mcp_url: string;
  readonly a2a_url: string;
  readonly token: string;
}

/** The built product, started as an operator starts it. */
export interface RunningSwitchyard {
  readonly access: Access;
  readonly folder: string;
  /** Runs a command of the product on this instance, with `--json`. */
  command(...args: readonly string[]): Promise<CommandResult>;
  /** The same with text on standard input. */
  commandWith(stdin: string, ...args: readonly string[]): Promise<CommandResult>;
  /** Writes a file beside the data folder and returns its path. */
  file(name: string, content: unknown): Promise<string>;
  /** Kills all its processes except PostgreSQL, and starts it on the same data. */
  killAndRestart(): Promise<void>;
  /** Stops the processes and removes every file of this instance. */
  remove(): Promise<void>;
  /** Everything it has printed. */
  output(): string;
}

/** Starts the built command on a data folder without sellers, and returns when those of the options are live. */
export async function startSwitchyard(...options: readonly string[]): Promise<RunningSwitchyard> {
  const folder = await mkdtemp(join(tmpdir(), 'switchyard-interop-'));
  const data = join(folder, 'data');
  await mkdir(data, { mode: 0o700 });
  const launch = () => launchSwitchyard(data, options);
  let up = await prepareFolder(data)
    .then(launch)
    .catch(async (error: unknown) => {
      await rm(folder, { recursive: true, force: true });
      throw error;
    });
  const runWith = (stdin: string, args: readonly string[]): Promise<CommandResult> =>
    runProduct([...args, '--data', data, '--json'], stdin);
  const run = (...args: readonly string[]): Promise<CommandResult> => runWith('', args);
  const remove = async (): Promise<void> => {
    await up.end();
    stopLeftDatabase(data);
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  };
  try {
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
      killAndRestart: async () => {
        await up.kill();
        up = await launch();
      },
      remove,
      output: () => up.output(),
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** A start that failed after a kill leaves its PostgreSQL running. Its folder is ours, so we stop it. */
function stopLeftDatabase(data: string): void {
  const note = join(data, 'postgres', 'pg', 'postmaster.pid');
  const pid = existsSync(note) ? Number(readFileSync(note, 'utf8').split('\n')[0]) : 0;
  if (!Number.isInteger(pid) || pid <= 1) return;
  try {
    process.kill(pid, 'SIGINT');
  } catch {
    // It has already ended.
  }
}
