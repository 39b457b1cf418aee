import { furtherPages } from '@switchyard/fanout';
import { findTask } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { callSeller } from '../call/call-seller.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../call/leg-run.js';
import { joinPages, nextPageOf } from '../apply/stored-pages.js';

/**
 * Reads a late answer to its last page. If a page fails, the pages so far are kept with their `pagination`,
 * so that the buyer sees that there are more.
 */
export async function readFurther(
  { transport }: Pick<BuysPorts, 'transport'>,
  leg: Leg,
  first: JsonObject,
  run: LegRun,
): Promise<JsonObject> {
  const { push_notification_config: _notifications, ...question } = outboundOf(leg);
  const { answer, isWhole } = await furtherPages<readonly JsonObject[]>(
    {
      cursorOf: (pages) => nextPageOf(leg, pages.at(-1) ?? {}),
      join: (sofar, next) => [...sofar, ...next],
    },
    [first],
    question,
    async (args) => {
      const reported = await callSeller(transport, run, { task: leg.task, args }, run.signal);
      if (!reported.ok) return undefined;
      const { status, payload } = reported.value.reply;
      const isPage = status === 'completed' || status === 'unknown';
      return isPage && findTask(leg.task)?.readAnswer(payload, leg.profile).ok === true
        ? [payload]
        : undefined;
    },
  );
  const joined = joinPages(answer);
  const { pagination } = answer.at(-1) ?? {};
  return isWhole || pagination === undefined ? joined : { ...joined, pagination };
}
