import type { Command } from 'commander';
import { err } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import { printing, type Outcome, shown } from '../../outcome.js';
import { cell } from '../../plain.js';
import { request } from '../../request-command.js';
import { onInstance, withTarget, type TargetOptions } from '../../target.js';
import { identityFrom, identityOptions, type IdentityOptions } from './identity-options.js';

/** `principals identity add` and `remove`: names that an issuer or a certificate authority attests. */
export function registerIdentities(principals: Command, deps: CliDeps): void {
  const identity = principals
    .command('identity')
    .description('external identities of principals: tokens of issuers, and client certificates');
  withTarget(identity.command('add'))
    .description('accept tokens of an issuer, or a client certificate, as a principal')
    .argument('<name>', 'of the principal')
    .addOption(identityOptions.issuer)
    .addOption(identityOptions.subject)
    .addOption(identityOptions.certificate)
    .action(printing(deps, add));
  request(identity, deps, 'remove <id>', {
    describe: 'remove an identity, with effect from the next request',
    of: 'of the identity, as principals list --json shows it',
    route: 'DELETE /v1/identities/{id}',
    text: (_, { id }) => `${id} is no longer accepted, with effect from the next request.`,
  });
}

async function add(deps: CliDeps, name: string, options: TargetOptions & IdentityOptions): Promise<Outcome> {
  const identity = identityFrom(options);
  if (!identity.ok) return identity;
  const row = identity.value;
  if (row === undefined) return err({ message: 'Give --issuer with --subject, or --certificate.' });
  return onInstance(deps, options, (instance) =>
    shown(
      instance.post(`/v1/principals/${encodeURIComponent(name)}/identities`, row),
      ({ identity_id: id, subject }) => `${cell(subject)} stands for ${cell(name)} (${cell(id)}).`,
    ),
  );
}
