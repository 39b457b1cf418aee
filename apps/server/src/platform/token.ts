/** What Nest injects, with its type: Nest's own tokens have none. */
export type Token<T> = symbol & { readonly injects?: T };

export function tokenOf<T>(name: string): Token<T> {
  return Symbol(name);
}
