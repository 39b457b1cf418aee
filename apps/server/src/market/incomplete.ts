import type { Gathered } from '@switchyard/buys';
import type { Incomplete } from '@switchyard/protocol';

/** What may be incomplete, in the terms of each list. */
const scopes: Readonly<Record<'products' | 'signals', readonly string[]>> = {
  products: ['products', 'pricing', 'forecast', 'proposals', 'wholesale_feed'],
  signals: ['signals', 'pricing', 'wholesale_feed'],
};

/**
 * What an answer of the market lacks, by seller: what a seller itself reports as unfinished, and sellers that were too
 * slow, sent some of their pages, or will answer later.
 *
 * @param tooMany sellers that sent more than one answer can carry.
 */
export function incompleteOf<Answer>(
  market: Gathered<Answer>,
  scope: 'products' | 'signals',
  reportedBy: (answer: Answer) => readonly Incomplete[],
  tooMany: readonly string[] = [],
): readonly Incomplete[] {
  const received = market.legs.flatMap(({ seller, answer }) =>
    answer === undefined
      ? []
      : reportedBy(answer).map((incomplete) => ({
          ...incomplete,
          // An unknown term is replaced by the list itself.
          scope: scopes[scope].includes(incomplete.scope) ? incomplete.scope : scope,
          description: `${seller}: ${incomplete.description}`,
        })),
  );
  const lacks = (seller: string, what: string): Incomplete => ({ scope, description: `${seller} ${what}` });
  const slow = market.rows
    .filter(({ status, seller }) => status === 'slow' && !market.later.includes(seller))
    .map(({ seller }) => lacks(seller, 'did not answer in time.'));
  const cut = market.legs
    .filter(({ isTruncated }) => isTruncated === true)
    .map(({ seller }) => lacks(seller, 'has more items than it sent in time.'));
  const later = market.later.map((seller) => lacks(seller, 'will answer later.'));
  const left = tooMany.map((seller) =>
    lacks(seller, 'has more items than one answer can contain: use narrower filters.'),
  );
  return [...received, ...slow, ...cut, ...left, ...later];
}
