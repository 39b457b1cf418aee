import { Option } from 'commander';
import { err, ok, type JsonObject, type Result } from '@switchyard/values';
import type { CliFailure } from '../../outcome.js';

/** An attested name: of a token issuer, or of a client certificate. */
export interface IdentityOptions {
  readonly issuer?: string;
  readonly subject?: string;
  readonly certificate?: string;
}

export const identityOptions = {
  issuer: new Option(
    '--issuer <url>',
    'accept tokens of this issuer for --subject, instead of a Switchyard token',
  ),
  subject: new Option('--subject <sub>', 'subject of the tokens of --issuer'),
  certificate: new Option(
    '--certificate <name>',
    'accept a client certificate of this name (dns:, uri:, email: or subject:)',
  ),
} as const;

export function identityFrom(options: IdentityOptions): Result<JsonObject | undefined, CliFailure> {
  const { issuer, subject, certificate } = options;
  if ((issuer === undefined) !== (subject === undefined)) {
    return err({ message: '--issuer and --subject are given together.' });
  }
  if (issuer !== undefined && certificate !== undefined) {
    return err({ message: 'Give --issuer with --subject, or --certificate.' });
  }
  if (issuer !== undefined && subject !== undefined) return ok({ kind: 'jwt', issuer, subject });
  return ok(certificate === undefined ? undefined : { kind: 'certificate', subject: certificate });
}
