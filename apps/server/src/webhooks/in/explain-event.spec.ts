import { describe, expect, it } from '@jest/globals';
import { explainEvent } from './explain-event.js';

describe('explainEvent', () => {
  it('has a sentence for each of several codes, once', () => {
    expect(explainEvent('after_final,negative_amount,after_final')).toBe(
      'The seller has already sent the final report of this stream. An amount in the report is negative.',
    );
  });

  it('finds a code by the text before its detail', () => {
    expect(explainEvent('known_without_effect:artifacts')).toBe(
      'The webhook is valid and stored. It changes nothing.',
    );
  });

  it.each([undefined, '', 'something_new', 'constructor'])('returns nothing for %j', (reason) => {
    expect(explainEvent(reason)).toBeUndefined();
  });
});
