import { err, ok } from '@switchyard/values';
import { z } from 'zod';
import { subscriberFaults, subscribersShape } from '../../../entities/account/subscriber.js';
import { keyFaults, missing } from '../../../message/require.js';
import type { LifecycleTask } from '../../lifecycle-task.js';
import { servedBy } from '../served-by.js';
import { same } from './keep.js';
import { around, isFailed } from './ours.js';
import { envelopeOf, inputOf, noted, readArgs } from './request.js';

const shape = { notification_configs: subscribersShape.optional(), dry_run: z.boolean().optional() };

/**
 * Replaces those whom a caller wants to be told when what this agent offers changes
 * (docs/protocol/webhooks-out.md#subscribers). Served as a declaration of no accounts.
 */
export const syncAgentNotificationConfigs: LifecycleTask = {
  name: 'sync_agent_notification_configs',
  servedBy: servedBy.sync_agent_notification_configs,
  inputSchema: inputOf(shape, ['idempotency_key', 'notification_configs']),
  recalls: () => [],

  serve(args) {
    const read = readArgs(shape, args);
    if (!read.ok) return read;
    const faults = [
      ...keyFaults(args, '3.1'),
      ...missing(args, ['notification_configs']),
      ...subscriberFaults(args, 'agent'),
    ];
    if (faults.length > 0) return err(faults);
    const configs = same(args, ['notification_configs']);
    return ok({
      args: {
        ...envelopeOf(args),
        ...same(args, ['dry_run']),
        accounts: [],
        ...noted('sync_agent_notification_configs', configs),
      },
    });
  },

  answer(body) {
    if (isFailed(body))
      return { body: { status: 'failed', action: 'failed', ...same(body, ['errors']), ...around(body) } };
    return {
      body: {
        status: 'completed',
        ...same(body, ['action', 'notification_configs', 'dry_run']),
        ...around(body),
      },
    };
  },
};
