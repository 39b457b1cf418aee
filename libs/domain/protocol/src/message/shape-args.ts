import type { JsonObject } from '@switchyard/values';
import type { Finding } from '../losses/finding.js';
import { isSelfAssertion } from '../credentials/credential-places.js';
import { envelopeArguments } from '../losses/lost-members.js';

/**
 * Limits arguments to those that a seller's tool declares: some sellers reject unknown members, even optional ones of
 * every task (docs/protocol/requests-and-versions.md#optional-members). Without a declaration all are sent except a
 * buyer's assertions about itself, which would be sent in our name.
 */
export function shapeArgs(
  args: JsonObject,
  declared: readonly string[] | undefined,
): { readonly args: JsonObject; readonly dropped: readonly string[] } {
  const known = declared === undefined || declared.length === 0 ? undefined : new Set(declared);
  const isLeftOut = (name: string): boolean => isSelfAssertion(name) || known?.has(name) === false;
  const dropped = Object.keys(args).filter(isLeftOut);
  if (dropped.length === 0) return { args, dropped };
  return { args: Object.fromEntries(Object.entries(args).filter(([name]) => !isLeftOut(name))), dropped };
}

/**
 * Members that we add or handle ourselves: pages are read to their end and answers filtered here, the context and
 * addresses are ours, and the brief repeats the mode.
 */
const localMembers: ReadonlySet<string> = new Set([
  'buying_mode',
  'discovery_mode',
  'time_budget',
  'pagination',
  'context',
  'reporting_webhook',
]);

/** Findings for members that a seller's tool does not declare, and that were not sent. */
export function lostToTool(dropped: readonly string[]): readonly Finding[] {
  return dropped
    .filter((name) => !envelopeArguments.has(name) && !localMembers.has(name))
    .map((field) => ({
      code: 'NOT_CARRIED',
      message: isSelfAssertion(field)
        ? 'The caller is known by its credential, never by an argument, so it was not sent.'
        : 'The tool of this seller does not declare this argument, so it was not sent.',
      field,
    }));
}
