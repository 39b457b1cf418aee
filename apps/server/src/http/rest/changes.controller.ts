import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { placeText, readPlace, type Change } from '@switchyard/store';
import { isoOf, type JsonValue } from '@switchyard/values';
import { z } from 'zod';
import { filtersFor, changeKinds, type ChangeKind } from '../../changes/change-kinds.js';
import type { ChangeSink } from '../../changes/change-streams.js';
import { instant } from '../../admin/fields.js';
import { rateKeyOf } from '../../tasks/caller/rate-limits.js';
import { endTurn } from '../admit.js';
import { authenticate, credentialMissing, stillHolds } from '../access/auth.js';
import { rateLimited, refusal, sendAnswer } from '../door-answer.js';
import { EventStream } from '../event-stream.js';
import { DOORS, type HttpContext } from '../http-context.js';
import { headerValues } from '../raw-headers.js';
import { readRequest } from './route-table.js';

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 2_000;

/** The credentials accepted here. */
const shown = { aliases: false, sessions: true } as const;

const kind = z.enum(Object.keys(changeKinds) as [ChangeKind, ...ChangeKind[]]);
const place = z
  .string()
  .max(40)
  .refine((text) => readPlace(text) !== undefined, 'must be the id of an event of this stream');

export const changesQuery = z.strictObject({
  after: place
    .exactOptional()
    .describe('The id of the last event that was read, for clients that cannot send `Last-Event-ID`.'),
  kind: z
    .union([kind.transform((one) => [one]), z.array(kind).min(1).max(Object.keys(changeKinds).length)])
    .exactOptional()
    .describe('Only changes of these kinds of objects; may be repeated.'),
});

/** The data of an event `change`: the id of the object, which the reader reads again. */
export const changeData = z.strictObject({
  kind,
  id: z.string().describe('The id under which REST and the tasks know the object.'),
  action: z.enum(['created', 'updated', 'moved', 'removed']),
  at: instant,
  client_id: z.string().exactOptional(),
  brand_domain: z.string().exactOptional(),
  campaign_id: z.string().exactOptional(),
});

/** `GET /v1/changes`: changes within the caller's reach, as server-sent events that can be resumed. */
@Controller('v1')
export class ChangesController {
  constructor(@Inject(DOORS) private readonly doors: HttpContext) {}

  @Get('changes')
  async changes(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { doors } = this;
    const found = await authenticate(request, doors, shown);
    if (!found.ok) return sendAnswer(reply, found.error);
    const caller = found.value;
    if (caller.kind === 'public') return sendAnswer(reply, credentialMissing());
    const wait = doors.rates.take(rateKeyOf(caller), 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    if (filtersFor(caller).length === 0) return sendAnswer(reply, refusal(mayReadNothing));
    // A browser reconnects with the same address and the id of the last event.
    const [lastId] = headerValues(request.raw.rawHeaders, 'last-event-id');
    const query = request.query as Record<string, JsonValue>;
    const requested = readRequest(changesQuery, lastId ? { ...query, after: lastId } : query);
    if (!requested.ok) return sendAnswer(reply, refusal(requested.error));
    const filters = filtersFor(caller, requested.value.kind);
    if (filters.length === 0) return sendAnswer(reply, refusal(mayReadNothing));
    const after = requested.value.after === undefined ? undefined : readPlace(requested.value.after);
    const stream = new EventStream(reply);
    const opened = doors.changes.open(
      {
        caller,
        filters,
        stillHolds: () => stillHolds(request, doors, shown, caller),
        ...(after && { after }),
      },
      sinkOf(stream),
    );
    if (!opened.ok)
      return sendAnswer(reply, refusal({ ...opened.error, retryAfter: 5, recovery: 'transient' }));
    reply.raw.once('close', opened.value);
    stream.openWith(retryMs);
    endTurn(request);
  }
}

const mayReadNothing = {
  code: 'INSUFFICIENT_PERMISSIONS',
  message: 'This needs the permission to read objects of one of these kinds.',
} as const;

function sinkOf(stream: EventStream): ChangeSink {
  return {
    ready: (at) => stream.send('{}', 'ready', placeText(at)),
    reset: (at) => stream.send('{}', 'reset', placeText(at)),
    change: (change) => stream.send(JSON.stringify(dataOf(change)), 'change', placeText(change.place)),
    beat: (at) => stream.keepAlive(placeText(at)),
    unread: () => stream.unread,
    drained: () => stream.taken(),
    end: () => stream.end(),
  };
}

function dataOf({ kind: of, objectId, action, at, clientId, brandDomain, campaignId }: Change): object {
  return {
    kind: of,
    id: objectId,
    action,
    at: isoOf(at),
    ...(clientId !== undefined && { client_id: clientId }),
    ...(brandDomain !== undefined && { brand_domain: brandDomain }),
    ...(campaignId !== undefined && { campaign_id: campaignId }),
  };
}
