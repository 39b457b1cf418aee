import { readMediaBuys } from '@switchyard/buys';
import { getMediaBuys as task, type GetMediaBuysRequest } from '@switchyard/protocol';
import { readAskOf } from '../read-ask.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { withWebhookActivity } from '../webhook-activity.js';
import { sellerErrors } from '../seller-errors.js';
import { withErrors } from '../with-errors.js';
import { withOurs } from '../with-ours.js';
import { withoutSnapshots } from '../without-snapshots.js';

export async function getMediaBuys(
  parts: HandlerParts,
  handled: HandledCall<GetMediaBuysRequest>,
): Promise<Handled> {
  const read = await readMediaBuys(parts.ports, readAskOf(handled), handled.request);
  const { voice } = handled.version;
  if (read.errors.length > 0 && read.mediaBuys.length === 0) return { kind: 'failed', errors: read.errors };
  const mediaBuys = await withWebhookActivity(parts, handled, read.mediaBuys);
  const shown = withoutSnapshots(
    task.projectAnswer({ mediaBuys }, voice),
    handled.request.includeSnapshot === true,
  );
  return {
    kind: 'done',
    status: 'completed',
    payload: withOurs(
      withErrors(shown, read.errors, voice),
      { seller_errors: sellerErrors(read.refusals, voice) },
      voice,
    ),
    sellers: read.rows,
    operationId: parts.ports.ids.uuid(),
  };
}
