import { servedBy } from '../served-by.js';
import { err, ok } from '@switchyard/values';
import { z } from 'zod';
import { keyFaults, missing, required } from '../../../message/require.js';
import { objectsAt, textAt } from '../../../message/pick.js';
import { anyObject, idText } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { around } from './ours.js';
import { readArgs } from './request.js';

const reasons = [
  ...(['price', 'inventory_fit', 'audience_fit', 'creative_unsupported', 'measurement_unsupported'] as const),
  ...(['policy', 'timing', 'budget_changed', 'selected_alternative', 'other'] as const),
] as const;

const shape = {
  declines: z
    .array(
      z.strictObject({
        proposal_id: idText,
        reason: z.enum(reasons),
        detail: z.string().min(1).max(500).optional(),
      }),
    )
    .min(1)
    .max(25)
    .optional(),
  opportunity: anyObject.optional(),
};

/** No older release has a way to decline, so no seller is told: each proposal is answered with that. */
export const declineProposals: LifecycleTask = {
  name: 'decline_proposals',
  servedBy: servedBy.decline_proposals,
  recalls: () => [],

  serve(args) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const declines = objectsAt(args, 'declines');
    const unexplained = declines.flatMap((item, place) =>
      item['reason'] === 'other' && textAt(item, 'detail') === undefined
        ? [required(`declines[${place}].detail`, 'Say in detail what the reason "other" is.')]
        : [],
    );
    const faults = [...keyFaults(args, '3.1'), ...missing(args, ['declines']), ...unexplained];
    if (faults.length > 0) return err(faults);
    const results = declines.map((item) => ({
      proposal_id: item['proposal_id'] ?? '',
      outcome: 'unable',
      reason: 'Its seller cannot be told in its release. The proposal ends by itself when it expires.',
    }));
    return ok({ body: { results, ...around(args) } });
  },

  answer: (body) => ({ body }),
};
