import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import type { Leg } from '../model/operation.js';
import { readableRead } from './market-read.js';

/** A leg of `get_products` that its seller has answered late. */
function answered(refine: readonly JsonObject[], proposals: readonly JsonObject[]): Leg {
  const leg: Pick<Leg, 'id' | 'task' | 'status' | 'outbound' | 'profile' | 'answer' | 'errors'> = {
    id: 'leg',
    task: 'get_products',
    status: 'completed',
    outbound: JSON.stringify({ buying_mode: 'refine', refine }),
    profile: { dialect: 'adcp', form: '3.1' },
    answer: { products: [], proposals: [...proposals], cache_scope: 'account' },
    errors: [],
  };
  return leg as Leg;
}

describe('a late answer to a finalization', () => {
  const finalize = { scope: 'proposal', proposal_id: 'x', action: 'finalize' };

  it('that commits nothing is a failure, so that its task, its webhook and a read agree', () => {
    const draft = { proposal_id: 'x', proposal_status: 'draft' };
    expect(readableRead(answered([finalize], [draft]))).toMatchObject({
      status: 'failed',
      errors: [{ code: 'PROPOSAL_NOT_COMMITTED' }],
    });
  });

  it('that commits is a success, as is any answer to another refinement', () => {
    const committed = { proposal_id: 'x', proposal_status: 'committed' };
    for (const leg of [answered([finalize], [committed]), answered([{ scope: 'request', ask: 'more' }], [])])
      expect(readableRead(leg)).toBe(leg);
  });
});
