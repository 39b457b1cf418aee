import type { JsonObject } from '@switchyard/values';

/**
 * Arguments in which a request names its own caller. The credential decides who calls; brand and operator decide for
 * whom, and a seller can verify both. Anybody could write any other name (docs/protocol/signing.md).
 */
const asserted =
  /^(buyer|buying|caller|calling|client|principal|originator|originating|requesting)_agent(_ur[il])?$/;

/** True for an argument that only asserts who is calling. It decides nothing here, and reaches no seller. */
export function isSelfAssertion(name: string): boolean {
  return asserted.test(name);
}

/** The first such argument of a task, by its name. */
export function selfAssertionIn(args: JsonObject): string | undefined {
  return Object.keys(args).find(isSelfAssertion);
}
