import { refusal, type DoorAnswer } from './door-answer.js';

/** Which methods every address of the doors takes, as its routes were declared. */
export interface KnownMethods {
  add(route: { readonly method: string | readonly string[]; readonly url: string }): void;
  /** What is said to a method that an address does not take; nothing where there is no such address. */
  refusalAt(path: string): DoorAnswer | undefined;
}

/**
 * An address that exists is told apart from one that does not: with `405` and the methods it takes (RFC 9110, section
 * 15.5.6). It is answered from the routes alone, so that nobody learns whether what an address names exists.
 */
export function knownMethods(): KnownMethods {
  const methodsOf = new Map<string, Set<string>>();
  return {
    add: ({ method, url }) => {
      const methods = methodsOf.get(url) ?? new Set();
      for (const one of typeof method === 'string' ? [method] : method) methods.add(one);
      methodsOf.set(url, methods);
    },
    refusalAt: (path) => {
      const allowed = [...methodsOf].flatMap(([url, methods]) => (isAt(url, path) ? [...methods] : []));
      if (allowed.length === 0) return undefined;
      const allow = [...new Set(allowed)].sort().join(', ');
      const message = `This address takes ${allow} and no other method.`;
      return refusal({ code: 'METHOD_NOT_ALLOWED', message }, { allow });
    },
  };
}

/** Whether a path without its query lies at the pattern of a route, whose parameters are whole segments. */
function isAt(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  );
}
