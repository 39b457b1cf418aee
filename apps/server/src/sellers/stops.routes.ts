import type { ConnectionDirectory } from '@switchyard/sellers';
import { lists } from '@switchyard/store';
import {
  authorize,
  readStopTarget,
  type PrincipalDirectory,
  type Stop,
  type StopRepository,
  type StopTarget,
} from '@switchyard/tenancy';
import { err, isoOf, isUuid, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { reasonText } from '../platform/routes/fields.js';
import { resource } from '../platform/routes/resource.js';
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

const example = {
  target: 'seller:acme',
  reason: 'It books twice.',
  stopped_by: 'ops',
  stopped_at: '2026-11-23T12:00:00.000Z',
} as const;

const { view: stop, routes: listed } = resource(lists.stopList, {
  noun: 'stop',
  plural: 'stops',
  area: 'sellers',
  summary: 'Active emergency stops',
  example,
  command: {
    title: 'active emergency stops',
    summary: 'list active stops, oldest first',
    columns: { Stopped: 'target', Since: 'stopped_at', By: 'stopped_by', Reason: 'reason' },
    none: 'There are no stops.',
    whole: true,
  },
});
type StopView = z.output<typeof stop>;

const stopSet = stop.extend({
  note: z
    .string()
    .exactOptional()
    .describe('That nobody has used a key of this id yet: the stop holds from its first use on.'),
});

const route = routesOn<StopsDeps>();

/** Emergency stops. A stop takes effect in every process within a second; due work waits until the stop ends. */
export const stopRoutes = [
  ...listed,
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
