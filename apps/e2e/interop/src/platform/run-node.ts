import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runCommand, type CommandRun } from '@switchyard/testing';

const bundle = fileURLToPath(new URL('../../../../cli/bundle/index.js', import.meta.url));

export interface CommandResult {
  readonly exitCode: number;
  /** Standard output, parsed if it is JSON. */
  readonly json: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one Node program to its end. */
export function runNode(
  args: readonly string[],
  { stdin = '', env = {} }: { readonly stdin?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<CommandResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env: { ...process.env, NO_COLOR: '1', IS_BUILT: 'true', ...env },
    });
    const out: string[] = [];
    const complaints: string[] = [];
    child.stdout.setEncoding('utf8').on('data', (text: string) => out.push(text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => complaints.push(text));
    child.once('error', reject);
    child.stdin.end(stdin);
    child.once('close', (code) => {
      resolve(resultOf({ code, stdout: out.join(''), stderr: complaints.join('') }));
    });
  });
}

/** Runs one command of the built product. */
export async function runProduct(args: readonly string[], input: string): Promise<CommandResult> {
  const env = { ...process.env, NO_COLOR: '1' };
  return resultOf(await runCommand(bundle, { args, input, env, cwd: process.cwd() }));
}

function resultOf({ code, stdout, stderr }: CommandRun): CommandResult {
  return { exitCode: code ?? -1, json: jsonIn(stdout), stdout, stderr };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
