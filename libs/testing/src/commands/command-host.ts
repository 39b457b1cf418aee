import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';

export interface CommandLine {
  readonly args: readonly string[];
  readonly cwd: string;
  /** What stands on its standard input. */
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface CommandRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Host {
  readonly child: ChildProcess;
  readonly pending: Map<number, { resolve(run: CommandRun): void; reject(error: Error): void }>;
}

const hosts = new Map<string, Host>();
let lastId = 0;

/**
 * Runs a command of the built command line, as it is in its bundle. One process runs the commands of all suites of this
 * process: to start one for each costs ten times as much as what most of them do. For a command that runs on, reads its
 * environment as a process, or is about its end, start a process.
 */
export function runCommand(bundle: string, line: CommandLine): Promise<CommandRun> {
  const host = hosts.get(bundle) ?? startHost(bundle);
  hosts.set(bundle, host);
  const id = (lastId += 1);
  return new Promise<CommandRun>((resolve, reject) => {
    host.pending.set(id, { resolve, reject });
    hold(host);
    host.child.send({ id, line });
  });
}

function startHost(bundle: string): Host {
  const script = join(import.meta.dirname, '../../dist/commands/serve-commands.js');
  const child = spawn(process.execPath, [script, bundle], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const host: Host = { child, pending: new Map() };
  child.on('message', ({ id, result }: { readonly id: number; readonly result: CommandRun }) => {
    host.pending.get(id)?.resolve(result);
    host.pending.delete(id);
    hold(host);
  });
  child.once('exit', (code, signal) => {
    hosts.delete(bundle);
    const ended = new Error(`The process of commands ended (${String(signal ?? code)}).`);
    for (const pending of host.pending.values()) pending.reject(ended);
  });
  return host;
}

/** It keeps this process alive only while a command runs. */
function hold({ child, pending }: Host): void {
  const change = pending.size > 0 ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
}
