import { servedBy } from '../served-by.js';
import { err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import { splitId } from '../../../ids.js';
import { keyFaults, missing, required } from '../../../message/require.js';
import { objectsAt, textAt } from '../../../message/pick.js';
import { anyObject, idText } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { around } from './ours.js';
import { readArgs, inputOf } from './request.js';

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

const needed = ['declines'];

/** No older release has a way to decline: only sellers that have the task itself are told. */
export const declineProposals: LifecycleTask = {
  name: 'decline_proposals',
  servedBy: servedBy.decline_proposals,
  inputSchema: inputOf(shape, ['idempotency_key', ...needed]),
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
    const faults = [...keyFaults(args, '3.1'), ...missing(args, needed), ...unexplained];
    if (faults.length > 0) return err(faults);
    const bySeller = new Map<string, JsonObject[]>();
    for (const item of declines) {
      const id = splitId(textAt(item, 'proposal_id') ?? '');
      if (!id.ok) continue;
      const { slug, id: own } = id.value;
      bySeller.set(slug, [...(bySeller.get(slug) ?? []), { ...item, proposal_id: own }]);
    }
    const tells = [...bySeller].map(([slug, own]) => ({
      slug,
      tool: 'decline_proposals',
      args: { declines: own },
    }));
    return ok({
      tells,
      body: (said) => ({ results: declines.map((item) => resultOf(item, said)), ...around(args) }),
    });
  },

  answer: (body) => ({ body }),
};

/** What the seller of a proposal said to its decline; one that cannot be told, or did not answer, is `unable`. */
function resultOf(item: JsonObject, said: ReadonlyMap<string, JsonObject>): JsonObject {
  const proposalId = textAt(item, 'proposal_id') ?? '';
  const id = splitId(proposalId);
  const answer = id.ok ? said.get(id.value.slug) : undefined;
  const result = objectsAt(answer, 'results').find((one) => id.ok && one['proposal_id'] === id.value.id);
  if (result?.['outcome'] === 'declined') return { proposal_id: proposalId, outcome: 'declined' };
  const reason =
    answer === undefined
      ? 'Its seller cannot be told, or did not answer. The proposal ends by itself when it expires.'
      : (textAt(result, 'reason') ?? 'Its seller did not say that it was declined.');
  return { proposal_id: proposalId, outcome: 'unable', reason };
}
