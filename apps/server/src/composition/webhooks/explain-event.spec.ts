import { describe, expect, it } from '@jest/globals';
import { explainEvent } from './explain-event.js';

describe('explainEvent', () => {
  it('has a sentence for each of several codes, once', () => {
    expect(explainEvent('after_final,negative_amount,after_final')).toBe(
      'It came after the final report of its stream. An amount in it is below zero.',
    );
  });

  it('knows a code by what stands before its detail', () => {
    expect(explainEvent('known_without_effect:artifacts')).toBe(
      'It is understood and kept, and nothing follows from it.',
    );
  });

  it.each([undefined, '', 'something_new', 'constructor'])('says nothing of %j', (reason) => {
    expect(explainEvent(reason)).toBeUndefined();
  });
});
