import { Option, type Command } from 'commander';
import type { Dialect } from '@switchyard/protocol';
import type { CliDeps } from '../deps.js';
import { finish } from '../outcome.js';

export interface VerifyOptions {
  readonly profile: 'request' | 'webhook';
  readonly dialect: Dialect;
  readonly jwks?: string;
  readonly json?: boolean;
}

/** `verify`: verifies a captured message and prints each step. Needs no instance and makes no network call. */
export function registerVerify(program: Command, deps: CliDeps): void {
  program
    .command('verify')
    .description('explain, step by step, whether a captured request or webhook verifies')
    .argument(
      '<file>',
      'a captured message, or what events show --raw printed, as JSON (- for standard input)',
    )
    .addOption(
      new Option('--profile <profile>', 'kind of the message')
        .choices(['request', 'webhook'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--dialect <dialect>', 'dialect of its verifier')
        .choices(['ads', 'adcp'])
        .makeOptionMandatory(),
    )
    .option('--jwks <file>', 'published keys of the signer, if the captured message has none')
    .option('--json', 'print JSON alone on standard output')
    .action(async (file: string, options: VerifyOptions) => {
      // Loads the verifier only here, so that other commands start fast.
      const { explainMessage } = await import('../explain-message.js');
      const outcome = await explainMessage(deps, file, options);
      finish(deps, options, outcome);
      // "Not verified" is a result about a message. A file without a message is wrong usage.
      if (!outcome.ok) deps.exitWith(2);
    });
}
