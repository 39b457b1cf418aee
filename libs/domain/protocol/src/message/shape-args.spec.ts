import { describe, expect, it } from '@jest/globals';
import { selfAssertionIn } from '../credentials/credential-places.js';
import { lostToTool, shapeArgs } from './shape-args.js';

const asserted = 'https://somebody-else.example/agent';

describe('identity claims of a buyer', () => {
  it.each(['buyer_agent_url', 'buyer_agent', 'buying_agent_url', 'caller_agent_uri', 'originator_agent_url'])(
    'are never sent to a seller under our name, with any tool, and this is reported: %s',
    (name) => {
      const args = { brief: 'x', [name]: asserted };
      for (const declared of [undefined, [], ['brief', name]]) {
        const shaped = shapeArgs(args, declared);
        expect(shaped).toEqual({ args: { brief: 'x' }, dropped: [name] });
        expect(lostToTool(shaped.dropped)).toEqual([
          { code: 'NOT_CARRIED', field: name, message: expect.stringContaining('never by an argument') },
        ]);
      }
      expect(selfAssertionIn(args)).toBe(name);
    },
  );

  it('include no address of somebody else that the protocol itself names', () => {
    const args = { agent_url: asserted, sales_agent_url: asserted, seller_agent_url: asserted, brand: {} };
    expect(shapeArgs(args, undefined)).toEqual({ args, dropped: [] });
    expect(selfAssertionIn(args)).toBeUndefined();
  });
});
