import type { JsonObject } from '@switchyard/values';

/**
 * Arguments in which a request names its caller. The credential identifies the caller; brand and operator, which a
 * seller can verify, identify whom it acts for. Any other name could be forged (docs/protocol/signing.md).
 */
const asserted =
  /^(buyer|buying|caller|calling|client|principal|originator|originating|requesting)_agent(_ur[il])?$/;

/** True for an argument that only asserts who the caller is. It is ignored here and sent to no seller. */
export function isSelfAssertion(name: string): boolean {
  return asserted.test(name);
}

/** Returns the name of the first such argument of a task. */
export function selfAssertionIn(args: JsonObject): string | undefined {
  return Object.keys(args).find(isSelfAssertion);
}
