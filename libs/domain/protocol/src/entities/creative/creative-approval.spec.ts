import { describe, expect, it } from '@jest/globals';
import { must } from '@switchyard/values';
import { getMediaBuys } from '../../tasks/get-media-buys.js';
import type { Form } from '../../versions/wire-profile.js';

const profile = (form: Form) => ({ dialect: 'adcp' as const, form });
const listed = [
  { creative_id: 'a', approval_status: 'approved', rejection_reason: 'none' },
  { creative_id: 'b', approval_status: 'rejected', rejection_reason: 'Too loud.' },
  { creative_id: 'c', approval_status: 'pending' },
  { creative_id: 'd', approval_status: 'lost' },
  { approval_status: 'approved' },
  'nothing',
];

function read(form: Form, approvals: unknown) {
  const packages = [{ package_id: 'k1', creative_approvals: approvals }];
  const payload = { media_buys: [{ media_buy_id: 'm', status: 'active', packages }] };
  const answer = must(getMediaBuys.readAnswer(payload as never, profile(form)));
  return answer.answer;
}

describe('approvals of creatives on a package', () => {
  it.each(['service', '3.0', '3.1'] as const)(
    'are read in %s, except those without a creative or a state',
    (form) => {
      expect(read(form, listed).mediaBuys[0]?.packages[0]?.creativeApprovals).toEqual([
        { creativeId: 'a', status: 'approved', reason: 'none' },
        { creativeId: 'b', status: 'rejected', reason: 'Too loud.' },
        { creativeId: 'c', status: 'pending_review' },
      ]);
    },
  );

  it('are absent if the seller sends none; an empty list is a value', () => {
    expect(read('3.1', undefined).mediaBuys[0]?.packages[0]).not.toHaveProperty('creativeApprovals');
    expect(read('3.1', []).mediaBuys[0]?.packages[0]?.creativeApprovals).toEqual([]);
  });

  it.each(['service', '3.0', '3.1'] as const)(
    'are shown in %s, with a reason only for rejections',
    (form) => {
      const [buy] = getMediaBuys.projectAnswer(read('3.1', listed), profile(form))['media_buys'] as {
        packages: { creative_approvals: unknown }[];
      }[];
      expect(buy?.packages[0]?.creative_approvals).toEqual([
        { creative_id: 'a', approval_status: 'approved' },
        { creative_id: 'b', approval_status: 'rejected', rejection_reason: 'Too loud.' },
        { creative_id: 'c', approval_status: 'pending_review' },
      ]);
    },
  );
});
