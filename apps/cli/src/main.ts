import { CommanderError, type Command } from 'commander';
import pc from 'picocolors';
import { commands } from './commands.js';
import type { CliDeps } from './deps.js';
import { switchyardProgram } from './program.js';

/** Runs one command line and answers the exit code: 0 done, 1 failed with a reason, 2 wrong usage. */
export async function main(args: readonly string[]): Promise<number> {
  let exitCode = 0;
  const deps: CliDeps = {
    stdout: process.stdout,
    stderr: process.stderr,
    stdin: process.stdin,
    // eslint-disable-next-line no-restricted-properties -- The one place: from here it is handed on.
    env: process.env,
    cwd: process.cwd(),
    color: pc.isColorSupported && process.stdout.isTTY,
    layout: { columns: process.stdout.isTTY ? process.stdout.columns : 80 },
    exitWith: (code) => {
      exitCode = code;
    },
  };
  // The output was closed: a pipe (`| head`) or a terminal. `up` handles the signal, and stops what it started.
  const stop = (code: number): void => {
    if (process.listenerCount('SIGTERM') > 0) process.kill(process.pid, 'SIGTERM');
    else process.exit(code);
  };
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // Whoever closes a pipe has read what they want. Else output is lost, for example on a full disk.
    if (code === 'EPIPE') return stop(exitCode);
    process.stderr.write(`The output could not be written (${String(code)}).\n`);
    stop(1);
  });
  process.stderr.on('error', () => stop(exitCode));
  return (await runLine(args, deps)) ?? exitCode;
}

/** Runs one command line. Answers the exit code of wrong usage or of an unexpected error; else the command has set its own. */
export async function runLine(args: readonly string[], deps: CliDeps): Promise<number | undefined> {
  try {
    const program = switchyardProgram(deps, commands);
    await program.parseAsync(listOfGroup(program, commandFirst(args)), { from: 'user' });
    return undefined;
  } catch (error) {
    if (error instanceof CommanderError) {
      const code = usageCode(error);
      // With `--json`, this error is JSON too.
      if (code === 2 && args.includes('--json')) {
        const message = error.message.replace(/^error: /, '');
        deps.stdout.write(`${JSON.stringify({ errors: [{ code: 'WRONG_USAGE', message }] }, null, 2)}\n`);
      }
      return code;
    }
    const message = error instanceof Error ? error.message : 'unknown';
    deps.stderr.write(
      diskFull.test(message)
        ? `The disk is full: ${message}. Free some space, then try again.\n`
        : `Unexpected error: ${message}\n`,
    );
    if (deps.env['SWITCHYARD_DEBUG'] !== undefined && error instanceof Error) {
      deps.stderr.write(`${error.stack ?? ''}\n`);
    }
    return 1;
  }
}

/** As Node.js and as PostgreSQL say it. */
const diskFull = /\bENOSPC\b|\bEDQUOT\b|No space left on device/;

/** Common options may precede the name of the command: `switchyard --json buys`. */
function commandFirst(args: readonly string[]): string[] {
  const isFlag = (arg = '') => /^--(json|wide|(data|url|token)=.*)$/s.test(arg);
  let at = 0;
  while (isFlag(args[at]) || /^--(data|url|token)$/.test(args[at] ?? '')) at += isFlag(args[at]) ? 1 : 2;
  return [...args.slice(at), ...args.slice(0, at)];
}

/** A group of commands called with options only lists: `switchyard stops --json` is `switchyard stops list --json`. */
function listOfGroup(program: Command, [name, ...rest]: readonly string[]): string[] {
  const group = program.commands.find((command) => command.name() === name);
  const isListed = group?.commands.some((command) => command.name() === 'list') === true;
  const isOptions =
    rest[0]?.startsWith('-') === true && !rest.some((arg) => arg === '-h' || arg === '--help');
  return [...(name === undefined ? [] : [name]), ...(isListed && isOptions ? ['list'] : []), ...rest];
}

/** Commander ends help and the version with 0, and wrong usage with 1. */
function usageCode(error: CommanderError): number {
  return error.exitCode === 0 ? 0 : 2;
}
