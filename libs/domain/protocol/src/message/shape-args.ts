import type { JsonObject } from '@switchyard/values';
import type { Finding } from '../losses/finding.js';
import { isSelfAssertion } from '../credentials/self-assertion.js';
import { envelopeArguments } from '../losses/lost-members.js';

/**
 * The arguments that a seller's tool declares, where it declares any: sellers of mixed age refuse members that they
 * do not know, even those that every task may carry (docs/protocol/requests-and-versions.md#optional-members). Without
 * a declaration everything stays but what a buyer asserts of itself, which would go out under our name.
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
 * What we put into a request of our own: pages are read to their end and answers held to the question here, our context
 * and our addresses are ours, and what is asked for is asked for by a brief as well.
 */
const ours: ReadonlySet<string> = new Set([
  'buying_mode',
  'discovery_mode',
  'time_budget',
  'pagination',
  'context',
  'reporting_webhook',
]);

/** What a seller's tool has no argument for and so never reached it: said, as everything that is not carried over is. */
export function lostToTool(dropped: readonly string[]): readonly Finding[] {
  return dropped
    .filter((name) => !envelopeArguments.has(name) && !ours.has(name))
    .map((field) => ({
      code: 'NOT_CARRIED',
      message: isSelfAssertion(field)
        ? 'The caller is known by its credential, never by an argument, so it was not sent.'
        : 'The tool of this seller does not declare this argument, so it was not sent.',
      field,
    }));
}
