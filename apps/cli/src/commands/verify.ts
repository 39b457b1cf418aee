import { Option, type Command } from 'commander';
import type { CliDeps } from '../deps.js';
import { finish } from '../outcome.js';
import { withSigner, type SignerOptions } from '../proofs/signer-options.js';
import type { VerifyOptions } from '../explain-message.js';

/**
 * `verify`: verifies documents that were signed, and how they agree, or with `--profile` a captured message with each step.
 * Needs no instance, and reads the network only for `--fetch` and for an address in `--jwks`.
 */
export function registerVerify(program: Command, deps: CliDeps): void {
  withSigner(program.command('verify'))
    .description(
      'verify statements and exports of the ledger, of custody and of messages together; or explain, step by step, whether a captured request or webhook verifies',
    )
    .argument(
      '<files...>',
      'any of them: their kinds are recognized. With --profile one captured message, or what events show --raw printed, as JSON (- for standard input)',
    )
    .addOption(
      new Option('--profile <profile>', 'kind of the captured message').choices(['request', 'webhook']),
    )
    .addOption(new Option('--dialect <dialect>', 'dialect of its verifier').choices(['ads', 'adcp']))
    .option('--data <dir>', 'data folder with the fingerprints of signers (default: .data in this folder)')
    .option('--json', 'print JSON alone on standard output')
    .action(async (files: readonly string[], options: SignerOptions & Partial<VerifyOptions>) => {
      const { profile, dialect } = options;
      const [file = '', another] = files;
      // Loads the verifiers only here, so that other commands start fast.
      if (profile === undefined && dialect === undefined) {
        const { verifyFiles } = await import('../proofs/verify-files.js');
        return finish(deps, options, await verifyFiles(deps, files, options));
      }
      if (profile === undefined || dialect === undefined || another !== undefined) {
        deps.stderr.write('A captured message is one file, with --profile and --dialect.\n');
        return deps.exitWith(2);
      }
      const { explainMessage } = await import('../explain-message.js');
      const outcome = await explainMessage(deps, file, { ...options, profile, dialect });
      finish(deps, options, outcome);
      // "Not verified" is a result about a message. A file without a message is wrong usage.
      if (!outcome.ok) deps.exitWith(2);
    });
}
