import type { Command } from 'commander';
import type { JsonObject } from '@switchyard/values';
import type { CliDeps } from '../../deps.js';
import type { Outcome } from '../../outcome.js';
import { cell } from '../../plain.js';
import { objectsIn } from '../../objects-in.js';
import { atInstance, withTarget, type At } from '../../target.js';
import { listed, withPages, type PageOptions } from '../../pages.js';

/** `signatures refused`: signed messages that were refused, and the step at which each was. */
export function registerSignatures(program: Command, deps: CliDeps): void {
  const signatures = program.command('signatures').description('signed messages that were refused');
  withTarget(withPages(signatures.command('refused')))
    .description('list refused messages, newest first; --json includes each verification step')
    .action(atInstance(deps, refused));
}

function refused(at: At<PageOptions>): Promise<Outcome> {
  const lastStep = (row: JsonObject): JsonObject => objectsIn(row['steps']).at(-1) ?? {};
  return listed(at, {
    path: '/v1/signatures/refused',
    name: 'refused',
    columns: {
      Refused: 'refused_at',
      Code: 'code',
      Key: 'keyid',
      Principal: 'principal',
      Path: 'path',
      Step: (row) => `${cell(lastStep(row)['step'])} ${cell(lastStep(row)['name'])}`.trim(),
      Seen: (row) => lastStep(row)['seen'],
    },
    none: 'No message was refused.',
  });
}
