import { microsToDecimal } from '@switchyard/money';
import type { CommitmentEnded, CommitmentEnds } from '@switchyard/store';
import { reachOf } from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf } from '../platform/tasks/call/task-call.js';
import { reasonText } from '../platform/routes/fields.js';
import { routesOn } from '../platform/routes/route.js';

interface CommitmentsDeps {
  readonly commitmentEnds: CommitmentEnds;
  readonly clock: Clock;
}

const route = routesOn<CommitmentsDeps>();

/** What buys commit against spending limits. */
export const commitmentRoutes = [
  route({
    method: 'post',
    path: '/v1/buys/{id}/end-commitment',
    id: 'end_commitment',
    summary: 'End what a part that is over commits, where its seller sends no final figures',
    needs: 'ledger.write',
    byPerson: true,
    body: z.strictObject({
      seller: z.string().min(1).max(63).describe('The slug of the seller whose part it is.'),
      reason: reasonText.describe('How you know that nothing more comes.'),
    }),
    answer: z.strictObject({
      media_buy_id: z.string(),
      seller: z.string(),
      state: z.literal('final'),
      committed: z.string().describe('What counts from now on: delivered or invoiced, and fees.'),
      currency: z.string(),
    }),
    example: {
      media_buy_id: 'mb_5f6b2c1e',
      seller: 'acme',
      state: 'final',
      committed: '900',
      currency: 'USD',
    },
    handle: async ({ commitmentEnds, clock }, { caller, params: { id }, body }) => {
      const reach = reachOf(caller, 'ledger', 'write');
      const end = { ...body, mediaBuyId: id, reach, by: caller.principalId };
      const ended = await commitmentEnds.end(scopeOf(caller), end, clock.now());
      if (ended.kind !== 'ended') return err(refusalOf(ended));
      const { committedMicros, currency } = ended;
      const committed = microsToDecimal(committedMicros);
      return ok({ media_buy_id: id, seller: body.seller, state: 'final' as const, committed, currency });
    },
  }),
];

function refusalOf(ended: Exclude<CommitmentEnded, { readonly kind: 'ended' }>): AdminFailure {
  switch (ended.kind) {
    case 'not_found':
      return { code: 'NOT_FOUND', message: 'There is no media buy with this id and a part at this seller.' };
    case 'not_winding_down':
      return {
        code: 'CONFLICT',
        message: `The part is ${ended.state}: only one that is winding down can be ended.`,
      };
    case 'too_early':
      return {
        code: 'CONFLICT',
        message: `Its seller has time for the final figures until ${isoOf(ended.from)}. End it after that.`,
      };
  }
}
