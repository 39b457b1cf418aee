import type { JsonObject } from '@switchyard/values';

/**
 * Names under which a request would say who it is by its own word. Who calls is told by what it was let in with, and for
 * whom it acts by brand and operator, which a seller can verify; anything else could be anybody's (signing 1.1, 7.4).
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
