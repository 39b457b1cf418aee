import { daysOfPeriod, isPeriod } from '@switchyard/ledger';
import type { EventLog, InboxWork, LoggedDetail, NameReader, StoredMessage } from '@switchyard/store';
import { seesSellers, visibleTo } from '@switchyard/tenancy';
import { defined, err, ok, type Result } from '@switchyard/values';
import { z } from 'zod';
import { withJobs } from '../../platform/jobs/request-job.js';
import type { JobStarter } from '../../platform/jobs/start-job.js';
import type { AdminFailure } from '../../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { admitEvent, type Admission } from './admit-event.js';
import { effect, effectExample, effectOfReport, effectView, type EffectView } from './event-effect.js';
import type { WorkerDeps } from '../../platform/lanes/worker-deps.js';
import type { EvidenceVault } from './seal-evidence.js';
import {
  detail,
  event,
  eventDetail,
  eventView,
  message,
  messageView,
  state,
  withoutAddress,
  withoutSeller,
  withoutSender,
  type EventDetail,
  type EventView,
  messageOfUnnamed,
} from './event-views.js';
import { reasonText } from '../../platform/routes/fields.js';
import {
  objectFilter,
  objectQuery,
  organizationWide,
  reachFilter,
  sortQuery,
  timeFilter,
  timeQuery,
} from '../../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../../platform/routes/list-page.js';
import { routesOn, WrittenAnswer, type Immutable } from '../../platform/routes/route.js';

export interface EventsDeps extends WorkerDeps {
  readonly jobStarter: JobStarter;
  readonly events: EventLog;
  readonly inbox: WorkerDeps['inbox'] & Pick<InboxWork, 'count'>;
  /** Decrypts bytes that held a secret, for a reader who may see them. */
  readonly evidence: Pick<EvidenceVault, 'open'>;
  readonly newId: () => string;
  readonly names: Pick<NameReader, 'ofRows'>;
}

const decision = z.strictObject({ reason: reasonText });

const eventQuery = z.strictObject({
  state: state.exactOptional(),
  seller: z.string().min(1).max(63).exactOptional(),
  kind: z.string().min(1).max(63).exactOptional(),
  period: z
    .string()
    .refine(isPeriod, 'must be a month as YYYY-MM')
    .exactOptional()
    .describe(
      'With state=quarantined: those of a month, received in it, or a report about its days that came later.',
    ),
  counts: z
    .enum(['yes', 'no'])
    .exactOptional()
    .describe('no: the first page comes without its counts, and sooner.'),
  ...objectQuery,
  ...timeQuery,
  ...sortQuery,
  ...pageQuery,
});
type EventQuery = z.output<typeof eventQuery>;

const route = routesOn<EventsDeps>();

/** Webhooks received: list them, and decide about those in quarantine. */
export const eventRoutes = withJobs([
  route({
    method: 'get',
    path: '/v1/events',
    id: 'list_events',
    summary: 'Webhooks received: counts and the newest, by state',
    needs: 'reports.read',
    query: eventQuery,
    answer: z.strictObject({
      received: z
        .int()
        .exactOptional()
        .describe('Counts are in the first page alone, up to 10,000 of a state.'),
      applied: z.int().exactOptional(),
      quarantined: z.int().exactOptional(),
      counted_newest: z
        .int()
        .exactOptional()
        .describe(
          'Present where a caller reaches a large part of the organization and not all of it: only so many of the newest events of each state were looked at for the counts.',
        ),
      events: z.array(event),
      next_cursor: nextCursor,
    }),
    example: {
      received: 1,
      applied: 0,
      quarantined: 1,
      events: [
        {
          event_id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
          seller: 'acme',
          kind: 'delivery_report',
          state: 'quarantined',
          reason: 'after_final',
          explanation: 'The seller has already sent the final report of this stream.',
          sender: 'https://acme.example/mcp',
          received_at: '2026-11-21T12:00:00.000Z',
          copies: 0,
          client: 'Nova',
          client_id: '0d7c9f0a-55f5-4c0e-9d5b-0a3a54a2b0e1',
          brand: 'nova.example',
          brand_name: 'Nova',
          campaign: null,
          campaign_id: null,
          account: 'nova.example by agency.example',
        },
      ],
    },
    handle: (deps, { caller, query }) => list(deps, caller, query),
  }),
  route({
    method: 'get',
    path: '/v1/events/export',
    id: 'export_events',
    summary:
      'The messages of sellers, oldest first, with their bytes: what entries of the ledger name by hash',
    needs: 'reports.read',
    query: z.strictObject(timeQuery),
    answer: z.strictObject({ messages: z.array(message) }),
    inParts: true,
    example: { messages: [] },
    asJob: { title: 'Export of messages of sellers' },
    handle: ({ events }, { caller, query }) => {
      const refused = organizationWide(caller, 'reports', 'read');
      const isOperator = visibleTo(caller).kind === 'everything';
      const view = (storedMessage: StoredMessage) =>
        seesSellers(caller)
          ? messageView(storedMessage, isOperator)
          : messageOfUnnamed(storedMessage, isOperator);
      const written = new WrittenAnswer((write) =>
        events.messages(scopeOf(caller), timeFilter(query), async (messages) => {
          let before = '{"messages":[\n';
          for await (const storedMessage of messages) {
            await write(before + JSON.stringify(view(storedMessage)));
            before = ',\n';
          }
          await write(before === ',\n' ? '\n]}\n' : `${before}]}\n`);
        }),
      );
      return Promise.resolve(refused === undefined ? ok(written) : err(refused));
    },
  }),
  route({
    method: 'get',
    path: '/v1/events/{id}',
    id: 'show_event',
    summary: 'One webhook and how it was verified; with raw=true also its bytes',
    needs: 'reports.read',
    query: z.strictObject({ raw: z.enum(['true', 'false']).exactOptional() }),
    answer: detail,
    handle: (deps, { caller, params, query }) => show(deps, caller, params.id, query.raw === 'true'),
  }),
  route({
    method: 'get',
    path: '/v1/events/{id}/effect',
    id: 'preview_event',
    summary: 'What a quarantined delivery report would change if it were admitted; nothing is changed',
    needs: 'ledger.read',
    answer: effect,
    example: effectExample,
    handle: (deps, { caller, params }) => preview(deps, caller, params.id),
  }),
  route({
    method: 'post',
    path: '/v1/events/{id}/admit',
    id: 'admit_event',
    summary: 'Apply a quarantined webhook, with a reason',
    // Admitting an event posts its contents to the ledger.
    needs: 'ledger.approve',
    body: decision,
    answer: detail,
    handle: (deps, { caller, params, body }) => admit(deps, caller, params.id, body.reason),
  }),
  route({
    method: 'post',
    path: '/v1/events/{id}/dismiss',
    id: 'dismiss_event',
    summary: 'Dismiss a quarantined webhook, with a reason',
    needs: 'ledger.approve',
    body: decision,
    answer: detail,
    handle: (deps, { caller, params, body }) => dismiss(deps, caller, params.id, body.reason),
  }),
]);

type EventList = Immutable<{
  received?: number;
  applied?: number;
  quarantined?: number;
  counted_newest?: number;
  events: EventView[];
  next_cursor?: string;
}>;

const onlyQuarantined: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'A month can only be given with the state quarantined.',
  field: 'period',
  suggestion: 'Add state=quarantined, or use since and until.',
};

async function list(
  { inbox, events, names }: EventsDeps,
  caller: PrincipalCaller,
  query: EventQuery,
): Promise<Result<EventList, AdminFailure>> {
  const scope = scopeOf(caller);
  const reach = reachFilter(caller, 'reports', 'read');
  const { state, seller, kind, period, sort } = query;
  // The days of a report are searched in its text, which would be slow for all events since a month.
  if (period !== undefined && state !== 'quarantined') return err(onlyQuarantined);
  const filter = {
    ...reach,
    ...objectFilter(query),
    ...timeFilter(query),
    ...defined({ state, seller, kind, sort }),
    ...(period !== undefined && { period: daysOfPeriod(period) }),
  };
  const [counts, page] = await Promise.all([
    query.cursor === undefined && query.counts !== 'no' ? inbox.count(scope, reach) : undefined,
    listPage(
      { id: 'list_events', caller, query },
      (read) => events.list(scope, { ...filter, ...read }),
      ({ receivedAt, id }) => [receivedAt, id],
    ),
  ]);
  if (!page.ok) return page;
  const { rows, next } = page.value;
  const known = await names.ofRows(scope, rows);
  const isNamed = seesSellers(caller);
  const shown = { events: rows.map((row) => eventView(isNamed ? row : withoutSender(row), known)), ...next };
  if (counts === undefined) return ok(shown);
  const { received, applied, stale, quarantined, newest } = counts;
  return ok({
    received: received + applied + stale + quarantined,
    applied,
    quarantined,
    ...(newest !== undefined && { counted_newest: newest }),
    ...shown,
  });
}

type Shown = Promise<Result<EventDetail, AdminFailure>>;

async function show(deps: EventsDeps, caller: PrincipalCaller, id: string, raw = false): Shown {
  const found = await deps.events.show(scopeOf(caller), id, reachFilter(caller, 'reports', 'read'));
  if (found === undefined) return notFound;
  const isOperator = visibleTo(caller).kind === 'everything';
  // Sealed bytes hold secrets, and the address of a webhook is one: only an operator sees both.
  const stored = raw && isOperator ? await unsealed(deps, caller, found) : found;
  const whole = seesSellers(caller) ? stored : withoutSeller(stored);
  const names = await deps.names.ofRows(scopeOf(caller), [found]);
  const shown = eventDetail(isOperator ? whole : withoutAddress(whole), raw, names);
  if (isOperator) return ok(shown);
  const { registration_id: _secret, ...withoutRegistration } = shown;
  return ok(withoutRegistration);
}

/** Applies a quarantined event. `CONFLICT` if it is not in quarantine or cannot be applied. */
async function admit(deps: EventsDeps, caller: PrincipalCaller, id: string, reason: string): Shown {
  const scope = scopeOf(caller);
  const known = await deps.events.show(scope, id, reachFilter(caller, 'ledger', 'approve'));
  const found = known === undefined ? undefined : await deps.inbox.find(scope, id);
  if (known === undefined) return notFound;
  if (found === undefined) return conflict('It is a copy of an earlier message, which counts.');
  const admitted = await admitEvent(deps, scope, found, admissionOf(deps, caller, reason));
  return admitted.ok ? show(deps, caller, id) : conflict(admitted.error.message);
}

async function preview(
  deps: EventsDeps,
  caller: PrincipalCaller,
  id: string,
): Promise<Result<EffectView, AdminFailure>> {
  const scope = scopeOf(caller);
  const known = await deps.events.show(scope, id, reachFilter(caller, 'ledger', 'read'));
  const found = known === undefined ? undefined : await deps.inbox.find(scope, id);
  if (known === undefined) return notFound;
  if (found?.state !== 'quarantined') return conflict('It is not in quarantine.');
  return ok(effectView(id, await effectOfReport(deps, scope, found, caller.name)));
}

async function dismiss(deps: EventsDeps, caller: PrincipalCaller, id: string, reason: string): Shown {
  const scope = scopeOf(caller);
  const known = await deps.events.show(scope, id, reachFilter(caller, 'ledger', 'approve'));
  if (known === undefined) return notFound;
  const { decisionId, ...by } = admissionOf(deps, caller, reason);
  const isDecided = await deps.events.decideAlone(scope, {
    ...by,
    id: decisionId,
    eventId: id,
    decision: 'dismissed',
    decidedAt: deps.ports.clock.now(),
    state: 'refused',
    stateReason: 'dismissed',
  });
  return isDecided ? show(deps, caller, id) : conflict('It is not in quarantine.');
}

/** With the original bytes if they were sealed; as stored if the vault does not open them. */
async function unsealed(
  deps: EventsDeps,
  { organizationId, principalId }: PrincipalCaller,
  event: LoggedDetail,
): Promise<LoggedDetail> {
  const { sealedId, connectionId, seller } = event;
  if (sealedId === undefined) return event;
  const body = await deps.evidence.open({ organizationId }, sealedId, { connectionId, seller }, principalId);
  return body === undefined ? event : { ...event, body };
}

function admissionOf(deps: EventsDeps, caller: PrincipalCaller, reason: string): Admission {
  return {
    decisionId: deps.newId(),
    principalId: caller.principalId,
    principalName: caller.name,
    reason,
  };
}

const notFound: Result<never, AdminFailure> = err({
  code: 'NOT_FOUND',
  message: 'There is no event with this id.',
  field: 'id',
});

function conflict(message: string): Result<never, AdminFailure> {
  return err({
    code: 'CONFLICT',
    message,
    suggestion: 'See it with: switchyard events show ID',
  });
}
