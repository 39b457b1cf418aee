import { furtherPages } from '@switchyard/fanout';
import { findTask } from '@switchyard/protocol';
import type { JsonObject } from '@switchyard/values';
import { callSeller } from '../send/call-seller.js';
import type { Leg } from '../model/operation.js';
import { outboundOf } from '../model/outbound.js';
import type { BuysPorts } from '../model/ports.js';
import type { LegRun } from '../send/run-leg.js';
import { joinPages } from './join-pages.js';

/** Where the answer to a question goes on; nothing on its last page, and nothing of one that cannot be read. */
export function nextPageOf(
  { task, profile }: Pick<Leg, 'task' | 'profile'>,
  page: JsonObject,
): string | undefined {
  const read = findTask(task)?.readAnswer(page, profile);
  if (read?.ok !== true) return undefined;
  const { page: mark } = read.value.answer as { readonly page?: { readonly cursor?: string } };
  return mark?.cursor;
}

/**
 * Reads an answer that came later on to its last page, as one that came at once is read. What came stands where a page
 * does not come: it keeps the mark that there is more, so that the buyer is told.
 */
export async function readFurther(
  { transport }: Pick<BuysPorts, 'transport'>,
  leg: Leg,
  first: JsonObject,
  run: LegRun,
): Promise<JsonObject> {
  const { push_notification_config: _news, ...question } = outboundOf(leg);
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
