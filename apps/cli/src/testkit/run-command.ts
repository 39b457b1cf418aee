import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const bin = new URL('../../bin/switchyard.mjs', import.meta.url).pathname;

/** Runs the real command in a process of its own. */
export function run(
  args: readonly string[],
  options: { readonly cwd?: string; readonly input?: string; readonly env?: Record<string, string> } = {},
): Promise<Run> {
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
