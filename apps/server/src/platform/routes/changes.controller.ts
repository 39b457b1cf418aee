import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { placeText, readPlace, type Change, type ChangeFilter } from '@switchyard/store';
import { defined, isoOf, type JsonValue } from '@switchyard/values';
import type { PermissionArea } from '@switchyard/protocol';
import { authorize, ownReach, reachOf, type Reach } from '@switchyard/tenancy';
import type { ChangeSink, ChangeStreams } from './change-streams.js';
import { tokenOf } from '../token.js';
import { instant } from './fields.js';
import { rateKeyOf } from '../caller/rate-limits.js';
import { endTurn } from '../http/admit.js';
import { authenticate, credentialMissing, stillHolds } from '../http/access/auth.js';
import { rateLimited, refusal, sendAnswer } from '../http/http-answer.js';
import { EventStream } from '../http/event-stream.js';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';
import { headerValues } from '../http/raw-headers.js';
import { readRequest } from './request-form.js';
import type { PrincipalCaller } from '../tasks/call/task-call.js';

/** How long a client waits before it reconnects, in milliseconds. */
const retryMs = 2_000;

/** The credentials accepted here. */
const shown = { aliases: false, sessions: true } as const;

type KindRule =
  | {
      /** The list of these objects needs `read` on this area. */
      readonly area: PermissionArea;
      /** The objects belong to the organization: whoever may read their list sees all of them. */
      readonly isShared?: true;
      readonly isOwn?: never;
    }
  | {
      /** Objects of several areas: a reader follows those that it started itself. */
      readonly isOwn: true;
    };

/** Every kind of object whose changes can be followed, and its permission. */
const changeKinds = {
  account: { area: 'principals', isShared: true },
  alarm: { area: 'sellers', isShared: true },
  approval: { area: 'media_buys' },
  brand: { area: 'media_buys' },
  campaign: { area: 'media_buys' },
  client: { area: 'media_buys' },
  creative: { area: 'creatives' },
  credential: { area: 'sellers', isShared: true },
  delegation: { area: 'delegations' },
  delivery: { area: 'reports' },
  event: { area: 'reports' },
  grant: { area: 'principals', isShared: true },
  impairment: { area: 'media_buys' },
  job: { isOwn: true },
  key: { area: 'principals', isShared: true },
  media_buy: { area: 'media_buys' },
  notice: { isOwn: true },
  operation: { area: 'media_buys' },
  outbox_event: { area: 'media_buys' },
  principal: { area: 'principals', isShared: true },
  role: { area: 'principals', isShared: true },
  seller: { area: 'sellers', isShared: true },
  team: { area: 'principals', isShared: true },
} as const satisfies Record<string, KindRule>;

type ChangeKind = keyof typeof changeKinds;

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
    .union([kind.transform((text) => [text]), z.array(kind).min(1).max(Object.keys(changeKinds).length)])
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

/** Nest's token of the streams. */
export const CHANGES = tokenOf<Pick<ChangeStreams, 'open'>>('changes');

/** `GET /v1/changes`: changes within the caller's reach, as server-sent events that can be resumed. */
@Controller('v1')
export class ChangesController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(CHANGES) private readonly streams: Pick<ChangeStreams, 'open'>,
  ) {}

  @Get('changes')
  async changes(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    const found = await authenticate(request, http, shown);
    if (!found.ok) return sendAnswer(reply, found.error);
    const caller = found.value;
    if (caller.kind === 'public') return sendAnswer(reply, credentialMissing());
    const wait = http.rates.take(rateKeyOf(caller), 'read');
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
    const opened = this.streams.open(
      {
        caller,
        filters,
        stillHolds: () => stillHolds(request, http, shown, caller),
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

/**
 * What a caller may follow, by the permission and reach of each kind's list. Empty if it may follow none of the
 * requested kinds.
 */
function filtersFor(
  caller: PrincipalCaller,
  wanted: readonly string[] = Object.keys(changeKinds),
): readonly ChangeFilter[] {
  const filters = new Map<string, { readonly kinds: string[]; readonly reach: Reach }>();
  for (const [kind, rule] of Object.entries<KindRule>(changeKinds)) {
    const reach = wanted.includes(kind) ? reachFor(caller, rule) : undefined;
    if (reach === undefined) continue;
    const key = JSON.stringify(reach);
    const known = filters.get(key) ?? { kinds: [], reach };
    known.kinds.push(kind);
    filters.set(key, known);
  }
  return [...filters.values()];
}

/** The objects of a kind that a caller may follow; undefined if it may follow none. */
function reachFor(caller: PrincipalCaller, rule: KindRule): Reach | undefined {
  if (rule.isOwn === true) {
    const holdsAny = Object.values(caller.permissions).some(({ length }) => length > 0);
    return holdsAny ? ownReach(caller.principalId) : undefined;
  }
  const { area, isShared } = rule;
  if (!authorize(caller, { access: 'credentials', area, permission: 'read' }).ok) return undefined;
  return isShared === true ? { kind: 'everything' } : reachOf(caller, area, 'read');
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
    ...defined({ client_id: clientId, brand_domain: brandDomain, campaign_id: campaignId }),
  };
}
