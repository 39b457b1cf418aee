import { Option, type Command } from 'commander';

/** How a command finds out whose a key is. */
export interface SignerOptions {
  readonly jwks?: string;
  readonly fingerprint?: string;
  readonly fetch?: true;
  readonly data?: string;
}

/** The options of every command that verifies what was signed. */
export function withSigner(command: Command): Command {
  return command
    .option('--jwks <file-or-url>', 'a published key set: the key must be one of it')
    .option('--fingerprint <thumbprint>', 'fingerprint of the key (RFC 7638), as its owner gave it to you')
    .addOption(
      new Option(
        '--fetch',
        'read the keys that the domain of the document publishes, and store them',
      ).conflicts(['jwks']),
    );
}
