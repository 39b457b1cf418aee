import { describe, expect, it } from '@jest/globals';
import { storableAnswer } from './storable-answer.js';

describe('an answer with characters that no table accepts', () => {
  it('has them replaced in texts, keys and ids, and everything else unchanged', () => {
    const answer = {
      payload: { products: [{ name: 'a\0b', tags: ['\ud800', 'fine 😀'], n: 1, none: null }], 'k\0': true },
      isError: false,
      a2a: { taskId: 't\0' },
    };
    expect(storableAnswer(answer)).toEqual({
      payload: {
        products: [{ name: 'a\ufffdb', tags: ['\ufffd', 'fine 😀'], n: 1, none: null }],
        'k\ufffd': true,
      },
      isError: false,
      a2a: { taskId: 't\ufffd' },
    });
  });

  it('loses the ids that are too long for an index, and nothing else', () => {
    const [longest, tooLong] = ['€'.repeat(666), 'x'.repeat(2_001)];
    const answer = {
      payload: {
        task_id: tooLong,
        media_buy_id: longest,
        name: tooLong,
        packages: [{ package_id: tooLong, budget: 5 }, { package_id: '€'.repeat(667) }],
      },
      isError: false,
      a2a: { taskId: tooLong, contextId: 'c', state: 'working' },
    };
    expect(storableAnswer(answer)).toEqual({
      payload: { media_buy_id: longest, name: tooLong, packages: [{ budget: 5 }, {}] },
      isError: false,
      a2a: { contextId: 'c', state: 'working' },
    });
  });

  it('is the same object when it has none', () => {
    const answer = { payload: { products: [{ name: 'pair 😀' }] }, isError: false };
    expect(storableAnswer(answer)).toBe(answer);
  });

  it('may be nested to any depth', () => {
    const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as [];
    const answer = { payload: { deep }, isError: false };
    expect(storableAnswer(answer)).toBe(answer);
  });
});
