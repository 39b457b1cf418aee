import type { ValueProvider } from '@nestjs/common';

/** What Nest injects, with its type: Nest's own tokens have none. */
export type Token<T> = symbol & { readonly injects?: T };

export function tokenOf<T>(name: string): Token<T> {
  return Symbol(name);
}

/** Provides a value for a token, which must be of its type. */
export function given<T>(token: Token<T>, value: T): ValueProvider<T> {
  return { provide: token, useValue: value };
}
