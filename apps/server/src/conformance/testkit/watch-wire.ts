import { afterAll, beforeAll, expect } from '@jest/globals';
import { judgeSuite, tapTheWire, type Exchange, type Side } from '@switchyard/testing';

/**
 * Runs around every suite of this package that opens the whole product: checks all answers of its endpoints, and all
 * messages to its sellers and webhook receivers, against the published schemas of their forms.
 */
const suite = expect.getState().testPath ?? '';

/** Suites that are not checked, with the reason. */
const exempt: readonly { readonly suite: string; readonly why: string }[] = [
  {
    suite: '/coverage.db.spec.ts',
    why: 'It takes projectors away to see its cells turn red, and holds each of its messages itself.',
  },
  {
    suite: '/malformed.db.spec.ts',
    why: 'Its callers break their own form on purpose, and what nothing of ours reads goes on as they wrote it.',
  },
];

/** The product's endpoints have fixed paths; sellers and receivers in these suites use none of these. */
const sideOf = ({ path }: Exchange): Side =>
  /^\/(mcp|a2a|v1\/tasks\/[^/]+)(\?|$)/.test(path) ? 'ours' : 'theirs';

if (suite.includes('/conformance/') && !exempt.some((item) => suite.endsWith(item.suite))) {
  const exchanges: Exchange[] = [];
  let stop: () => void;
  beforeAll(() => {
    stop = tapTheWire((exchange) => exchanges.push(exchange));
  });
  afterAll(() => {
    stop();
    expect(judgeSuite(exchanges, sideOf, suite)).toEqual([]);
  });
}
