import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '@switchyard/values';
import { finalizationFault } from './finalization-fault.js';

const finalize: JsonObject = { scope: 'proposal', proposal_id: 'x', action: 'finalize' };
const answer = (proposals: readonly JsonObject[], notes?: string) => ({
  products: [],
  proposals,
  ...(notes === undefined ? {} : { refinementApplied: [{ status: 'unable', notes }] }),
});

describe('a finalization', () => {
  it.each<[string, JsonObject]>([
    ['committed', { proposal_id: 'x', proposal_status: 'committed' }],
    ['without a status, which can be bought as it is', { proposal_id: 'x' }],
  ])('has succeeded with a proposal that is %s', (_what, proposal) => {
    expect(finalizationFault([finalize], answer([proposal]))).toBeUndefined();
  });

  it.each<[string, readonly JsonObject[]]>([
    ['no proposal', []],
    ['a draft', [{ proposal_id: 'x', proposal_status: 'draft' }]],
    ['another proposal', [{ proposal_id: 'y', proposal_status: 'committed' }]],
  ])('has failed with %s, and the seller says why', (_what, proposals) => {
    expect(finalizationFault([finalize], answer(proposals, 'Sold out.'))).toMatchObject({
      code: 'PROPOSAL_NOT_COMMITTED',
      message: 'The seller has not committed to the proposal. Sold out.',
      field: 'refine[0].proposal_id',
    });
  });

  it('is none without the action', () => {
    expect(finalizationFault([{ ...finalize, action: 'include' }], answer([]))).toBeUndefined();
  });
});
