import { servedBy } from '../served-by.js';
import { err, ok, type JsonObject } from '@switchyard/values';
import { z } from 'zod';
import type { TaskError } from '../../../errors/task-fault.js';
import { notExpressible } from '../../../losses/finding.js';
import { keyFaults, missing } from '../../../message/require.js';
import { numberAt, objectsAt, textAt } from '../../../message/pick.js';
import { anyObject, idText, reportingShape } from '../../../message/shapes.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { withBid } from './bid.js';
import { compactActions } from './commitment.js';
import { same } from './keep.js';
import { around, failedIn, isFailed, submittedIn } from './ours.js';
import { envelopeOf, noted, notedFindings, readArgs, inputOf } from './request.js';

const amount = z.number().min(0).nullable();
const keywords = z.array(anyObject).max(1_000);

const controls = {
  daily_budget_cap: amount.optional(),
  pacing: idText.optional(),
  bidding: anyObject.nullable().optional(),
  paused: z.boolean().optional(),
  canceled: z.literal(true).optional(),
  cancellation_reason: z.string().max(500).optional(),
};

const shape = {
  ...controls,
  media_buy_id: idText.optional(),
  revision: z.int().min(1).optional(),
  name: idText.optional(),
  total_budget: z.strictObject({ amount: z.number().min(0), currency: idText }).optional(),
  budget_cap_timezone: idText.nullable().optional(),
  budget_allocation: anyObject.optional(),
  packages: z
    .array(
      z.strictObject({
        ...controls,
        package_id: idText,
        budget: amount.optional(),
        min_spend_target: amount.optional(),
        impressions: z.number().min(0).optional(),
        targeting_overlay: anyObject.optional(),
        catalog_ids: z.array(idText).max(500).optional(),
        keyword_targets_add: keywords.optional(),
        keyword_targets_remove: keywords.optional(),
        negative_keywords_add: keywords.optional(),
        negative_keywords_remove: keywords.optional(),
        optimization_goals: z.array(anyObject).max(100).optional(),
      }),
    )
    .min(1)
    .max(500)
    .optional(),
  reporting_webhook: reportingShape.optional(),
};

const changes = [
  ...[
    'name',
    'paused',
    'canceled',
    'cancellation_reason',
    'total_budget',
    'daily_budget_cap',
    'budget_cap_timezone',
  ],
  ...['budget_allocation', 'pacing', 'bidding', 'reporting_webhook'],
];

const needed = ['account', 'media_buy_id', 'revision'];

export const controlMediaBuy: LifecycleTask = {
  name: 'control_media_buy',
  servedBy: servedBy.control_media_buy,
  inputSchema: inputOf(shape, ['idempotency_key', ...needed]),
  recalls: () => [],

  serve(args) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const packages = objectsAt(args, 'packages');
    const faults = [
      ...keyFaults(args, '3.1'),
      ...missing(args, needed),
      ...unsayable(args, ''),
      ...packages.flatMap((item, place) => unsayable(item, `packages[${place}].`)),
    ];
    if (faults.length > 0) return err(faults);
    return ok({
      args: {
        ...envelopeOf(args),
        ...same(args, ['media_buy_id', 'revision']),
        ...same(args, changes),
        ...(packages.length === 0 ? {} : { packages: packages.map(withBid) }),
        ...noted('control_media_buy', {}),
      },
    });
  },

  answer(body, asked) {
    const open = submittedIn(body);
    if (open !== undefined) return { body: open };
    const mediaBuyId = textAt(body, 'media_buy_id');
    if (isFailed(body) || mediaBuyId === undefined) return { body: failedIn(body) };
    const { actions, findings } = compactActions(body);
    const ids = objectsAt(body, 'affected_packages').flatMap((item) => textAt(item, 'package_id') ?? []);
    return {
      body: {
        status: 'completed',
        media_buy_id: mediaBuyId,
        revision: numberAt(body, 'revision') ?? 1,
        ...same(body, ['media_buy_status', 'implementation_date']),
        affected_package_ids: [...new Set(ids)],
        ...(body['available_actions'] === undefined ? {} : { available_actions: actions }),
        ...around(body, [...notedFindings(asked), ...findings]),
      },
    };
  },
};

/** Changes that no seller can be told: a value that is taken away, and catalogs by id alone. */
function unsayable(item: JsonObject, place: string): readonly TaskError[] {
  const removed = Object.entries(item)
    .filter(([, value]) => value === null)
    .map(([name]) =>
      notExpressible(
        `${place}${name}`,
        'A value cannot be taken away at a seller.',
        'Send a new value instead.',
      ),
    );
  if (item['catalog_ids'] === undefined) return removed;
  const words = 'Catalogs cannot be named by id alone here.';
  return [...removed, notExpressible(`${place}catalog_ids`, words, 'Change them by update_media_buy.')];
}
