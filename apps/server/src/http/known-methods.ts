import { refusal, type DoorAnswer } from './door-answer.js';

/** The methods that each address accepts, collected from the declared routes. */
interface KnownMethods {
  add(route: { readonly method: string | readonly string[]; readonly url: string }): void;
  /** The refusal of a method that an address does not accept; undefined if there is no such address. */
  refusalAt(path: string): DoorAnswer | undefined;
}

/**
 * Answers a wrong method at an existing address with `405` and the accepted methods (RFC 9110, section 15.5.6). It uses
 * only the routes, so that the answer does not tell whether the object in the address exists.
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
      const message = `This address supports only ${allow}.`;
      return refusal({ code: 'METHOD_NOT_ALLOWED', message }, { allow });
    },
  };
}

/** Whether a path without its query matches the pattern of a route. Parameters are whole segments. */
function isAt(pattern: string, path: string): boolean {
  const wanted = pattern.split('/');
  const given = path.split('/');
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => (segment.startsWith(':') ? given[at] !== '' : segment === given[at]))
  );
}
