import { servedBy } from '../served-by.js';
import { canonicalJson, err, ok } from '@switchyard/values';
import { z } from 'zod';
import { taskError } from '../../../errors/task-error.js';
import { notCarried } from '../../../losses/lost-members.js';
import { keyFaults, missing } from '../../../message/require.js';
import { objectAt, textAt } from '../../../message/pick.js';
import { anyObject, idText, reportingShape } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { commitmentOf } from './commitment.js';
import { same } from './keep.js';
import { termsKey } from './proposals.js';
import { envelopeOf, noted, readArgs, inputOf } from './request.js';

const shape = {
  proposal_id: idText.optional(),
  proposal_terms_digest: idText.optional(),
  total_budget: z.strictObject({ amount: z.number().min(0), currency: idText }).optional(),
  daily_budget_cap: z.number().min(0).optional(),
  budget_cap_timezone: idText.optional(),
  io_acceptance: anyObject.optional(),
  purchase_order_ref: idText.optional(),
  reporting_webhook: reportingShape.optional(),
  opportunity: anyObject.optional(),
};

const needed = ['account', 'proposal_id', 'proposal_terms_digest'];

export const acceptProposal: LifecycleTask = {
  name: 'accept_proposal',
  servedBy: servedBy.accept_proposal,
  inputSchema: inputOf(shape, ['idempotency_key', ...needed]),
  recalls: (args) => [termsKey(textAt(args, 'proposal_id') ?? '')],

  serve(args, recalled) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const faults = [...keyFaults(args, '3.1'), ...missing(args, needed)];
    if (faults.length > 0) return err(faults);
    const proposal = objectAt(recalled.get(termsKey(textAt(args, 'proposal_id') ?? '')), 'proposal');
    if (proposal === undefined) return err([unknown]);
    if (proposal['terms_digest'] !== args['proposal_terms_digest']) return err([otherTerms]);
    if (proposal['proposal_status'] !== 'committed') return err([draft]);
    const terms = objectAt(proposal, 'commercial_terms') ?? {};
    const [fixed, named] = [objectAt(terms, 'total_budget'), objectAt(args, 'total_budget')];
    if (fixed !== undefined && named !== undefined && canonicalJson(fixed) !== canonicalJson(named))
      return err([otherTotal]);
    const total = fixed ?? named;
    const order = textAt(args, 'purchase_order_ref');
    const lost = args['opportunity'] === undefined ? [] : [notCarried('opportunity')];
    return ok({
      args: {
        ...envelopeOf(args),
        ...same(args, [
          'proposal_id',
          'daily_budget_cap',
          'budget_cap_timezone',
          'io_acceptance',
          'reporting_webhook',
        ]),
        ...same(terms, ['brand', 'start_time', 'end_time']),
        ...(total === undefined ? {} : { total_budget: total }),
        ...(order === undefined ? {} : { po_number: order }),
        ...noted('accept_proposal', { proposal }, lost),
      },
    });
  },

  answer(body, asked, { at }) {
    const proposal = objectAt(asked, 'proposal') ?? {};
    const terms = objectAt(proposal, 'commercial_terms') ?? {};
    return { body: commitmentOf(body, asked, at, () => ({ terms, name: '', proposal })) };
  },
};

const unknown = taskError(
  'PROPOSAL_NOT_FOUND',
  'No such proposal was made to you, or its terms are no longer kept.',
  {
    field: 'proposal_id',
    suggestion: 'Ask for proposals again, finalize one, and accept what that returns.',
  },
);

const otherTerms = taskError('CONFLICT', 'The proposal has other terms than these.', {
  field: 'proposal_terms_digest',
  suggestion: 'Read the proposal again, and accept it with the terms_digest of its newest version.',
});

const draft = taskError('PROPOSAL_NOT_COMMITTED', 'The proposal is a draft: its terms are indicative.', {
  field: 'proposal_id',
  suggestion: 'Finalize it by refine_proposals, and accept what that returns.',
});

const otherTotal = taskError('INVALID_REQUEST', 'The terms of the proposal have another total.', {
  field: 'total_budget',
  suggestion: 'Leave it out: the terms have a total of their own.',
});
