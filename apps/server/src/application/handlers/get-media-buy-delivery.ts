import { readDelivery } from '@switchyard/buys';
import { getMediaBuyDelivery as task, type GetMediaBuyDeliveryRequest } from '@switchyard/protocol';
import { readAskOf } from '../read-ask.js';
import type { Handled, HandledCall, HandlerParts } from '../handler.js';
import { withErrors } from '../with-errors.js';

export async function getMediaBuyDelivery(
  parts: HandlerParts,
  handled: HandledCall<GetMediaBuyDeliveryRequest>,
): Promise<Handled> {
  const read = await readDelivery(parts.ports, readAskOf(handled), handled.request);
  const { voice } = handled.version;
  if (read.errors.length > 0 && read.report.deliveries.length === 0)
    return { kind: 'failed', errors: read.errors };
  return {
    kind: 'done',
    status: 'completed',
    payload: withErrors(task.projectAnswer(read.report, voice), read.errors, voice),
    sellers: read.rows,
    operationId: parts.ports.ids.uuid(),
  };
}
