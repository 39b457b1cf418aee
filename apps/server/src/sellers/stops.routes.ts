import type { ConnectionDirectory } from '@switchyard/sellers';
import {
  authorize,
  readStopTarget,
  type ListSort,
  type PrincipalDirectory,
  type Stop,
  type StopRepository,
  type StopTarget,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type Result, type SortKey } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { instant, reasonText } from '../platform/routes/fields.js';
import { madeSortQuery } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';

interface StopsDeps {
  readonly stops: StopRepository;
  readonly connections: Pick<ConnectionDirectory, 'bySlug'>;
  readonly principals: Pick<PrincipalDirectory, 'find'>;
  readonly clock: Clock;
}

const target = z
  .string()
  .max(220)
  .describe(
    'seller:SLUG, principal:ID, key:KID, or all: every call to a seller and every webhook to a buyer.',
  );

const stop = z.strictObject({
  target: z.string(),
  reason: z.string().exactOptional(),
  stopped_by: z.string(),
  stopped_at: instant,
});
type StopView = z.output<typeof stop>;

const stopSet = stop.extend({
  note: z
    .string()
    .exactOptional()
    .describe('That nobody has used a key of this id yet: the stop holds from its first use on.'),
});

const example = {
  target: 'seller:acme',
  reason: 'It books twice.',
  stopped_by: 'ops',
  stopped_at: '2026-11-23T12:00:00.000Z',
} as const;

const route = routesOn<StopsDeps>();

/** Emergency stops. A stop takes effect in every process within a second; due work waits until the stop ends. */
export const stopRoutes = [
  route({
    method: 'get',
    path: '/v1/stops',
    id: 'list_stops',
    summary: 'Active emergency stops',
    needs: 'sellers.read',
    query: z.strictObject({ ...madeSortQuery, ...pageQuery }),
    answer: z.strictObject({ stops: z.array(stop), next_cursor: nextCursor }),
    example: { stops: [example] },
    handle: async ({ stops }, { caller, query }) => {
      const oldest = await stops.list(scopeOf(caller));
      const all = query.sort === 'newest' ? oldest.toReversed() : oldest;
      const page = await listPage(
        { id: 'list_stops', caller, query },
        ({ after, limit }) =>
          Promise.resolve(
            all.filter((item) => after === undefined || isBehind(item, after, query.sort)).slice(0, limit),
          ),
        (item) => [item.at, item.target],
      );
      return page.ok ? ok({ stops: page.value.rows.map(viewOf), ...page.value.next }) : page;
    },
  }),
  route({
    method: 'post',
    path: '/v1/stops',
    id: 'set_stop',
    summary: 'Stop a seller, a principal, a key, or all outbound calls, at once',
    needs: 'sellers.approve',
    body: z.strictObject({ target, reason: reasonText.exactOptional() }),
    answer: stopSet,
    example,
    handle: (deps, { caller, body }) => set(deps, caller, body.target, body.reason),
  }),
  route({
    method: 'delete',
    path: '/v1/stops/{target}',
    id: 'end_stop',
    summary: 'End a stop: waiting messages are sent',
    needs: 'sellers.approve',
    answer: stop,
    example,
    handle: (deps, { caller, params }) => end(deps, caller, params.target),
  }),
];

function isBehind({ at, target }: Stop, key: SortKey, sort?: ListSort): boolean {
  const [lastAt, lastTarget] = [Number(key[0]), String(key[1])];
  const isLater = at === lastAt ? target > lastTarget : at > lastAt;
  return isLater ? sort !== 'newest' : sort === 'newest' && (at !== lastAt || target !== lastTarget);
}

async function set(
  deps: StopsDeps,
  caller: PrincipalCaller,
  text: string,
  reason: string | undefined,
): Promise<Result<z.output<typeof stopSet>, AdminFailure>> {
  const read = readTarget(caller, text);
  if (!read.ok) return read;
  const subject = await subjectOf(deps, caller, read.value);
  if (subject === undefined)
    return err({
      code: 'NOT_FOUND',
      message: `There is no ${read.value.kind} of that name.`,
      field: 'target',
    });
  if (read.value.kind === 'principal' && subject === caller.principalId)
    return err({
      code: 'CONFLICT',
      message: 'You cannot stop yourself: you could not end it again.',
      field: 'target',
      suggestion: 'Ask another person, or revoke your own tokens.',
    });
  const { kind } = read.value;
  const made: Stop = {
    kind,
    subject,
    target: nameOf(read.value),
    by: caller.name,
    at: deps.clock.now(),
    ...(reason === undefined ? {} : { reason }),
  };
  const isNew = await deps.stops.put(scopeOf(caller), made);
  // A key may be stopped before its first use; the note shows a mistyped id.
  const isUnknown = kind === 'key' && !(await deps.stops.knowsKey(scopeOf(caller), subject));
  const note = isUnknown ? { note: noSuchKeyYet } : {};
  if (isNew) return ok({ ...viewOf(made), ...note });
  // A repeated request gets the existing stop.
  const all = await deps.stops.list(scopeOf(caller));
  return ok({
    ...viewOf(all.find((item) => item.kind === kind && item.subject === subject) ?? made),
    ...note,
  });
}

const noSuchKeyYet =
  'No key of this id is known here: none of ours, none that is registered for a caller, and none that was used. The stop holds from its first use on. Is the id right?';

async function end(
  { stops }: StopsDeps,
  caller: PrincipalCaller,
  text: string,
): Promise<Result<StopView, AdminFailure>> {
  const read = readTarget(caller, text);
  if (!read.ok) return read;
  const ended = await stops.lift(scopeOf(caller), nameOf(read.value), caller.name);
  if (ended !== undefined) return ok(viewOf(ended));
  return err({
    code: 'NOT_FOUND',
    message: 'There is no stop with this target.',
    field: 'target',
    suggestion: 'See the stops with: switchyard stops list',
  });
}

/** The target, if the caller may stop it: principals and keys need access to principals. */
function readTarget(caller: PrincipalCaller, text: string): Result<StopTarget, AdminFailure> {
  const read = readStopTarget(text);
  if (!read.ok) return err({ code: 'INVALID_REQUEST', message: read.error, field: 'target' });
  const { kind } = read.value;
  if (kind === 'all' || kind === 'seller') return read;
  const permission = kind === 'principal' ? 'delete' : 'write';
  const allowed = authorize(caller, { access: 'credentials', area: 'principals', permission });
  return allowed.ok ? read : err({ code: 'INSUFFICIENT_PERMISSIONS', message: allowed.error.message });
}

/** Ids of principals are compared in lower case; everything else as written. */
function nameOf({ kind, name }: StopTarget): string {
  if (kind === 'all') return 'all';
  return `${kind}:${kind === 'principal' ? name.toLowerCase() : name}`;
}

async function subjectOf(
  { connections, principals }: StopsDeps,
  caller: PrincipalCaller,
  { kind, name }: StopTarget,
): Promise<string | undefined> {
  if (kind === 'seller') return (await connections.bySlug(scopeOf(caller), name))?.id;
  if (kind === 'principal')
    return isUuid(name) ? (await principals.find(scopeOf(caller), name.toLowerCase()))?.id : undefined;
  return name;
}

function viewOf({ target: named, reason, by, at }: Stop): StopView {
  return {
    target: named,
    stopped_by: by,
    stopped_at: isoOf(at),
    ...(reason === undefined ? {} : { reason }),
  };
}
