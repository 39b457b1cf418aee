import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { runCommand, type CommandRun } from '@switchyard/testing';

const bin = new URL('../../bin/switchyard.mjs', import.meta.url).pathname;
const bundle = new URL('../../bundle/index.js', import.meta.url).pathname;

interface Options {
  readonly cwd?: string;
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs the built command, in the process that runs them all. */
export function run(args: readonly string[], options: Options = {}): Promise<CommandRun> {
  const { cwd = tmpdir(), input = '', env = {} } = options;
  return runCommand(bundle, { args, cwd, input, env: { PATH: process.env['PATH'], ...env } });
}

/** Runs the real command in a process of its own. */
export function runAlone(args: readonly string[], options: Options = {}): Promise<CommandRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [bin, ...args], {
      cwd: options.cwd ?? tmpdir(),
      env: { PATH: process.env['PATH'], IS_BUILT: 'true', ...options.env },
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(options.input ?? '');
  });
}
