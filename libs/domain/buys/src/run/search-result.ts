import type { JsonObject } from '@switchyard/values';

/** `no_way`: the task creates nothing that a list would show. */
export type SearchResult =
  | { readonly kind: 'found'; readonly payload: JsonObject }
  | { readonly kind: 'not_found' | 'no_answer' | 'no_way' };
