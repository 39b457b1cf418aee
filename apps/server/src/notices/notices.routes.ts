import {
  noticeModes,
  type NoticeSetting,
  type NoticesShown,
  type NoticeStore,
  type ShownNotice,
} from '@switchyard/store';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { decidesControl } from '@switchyard/buys';
import { authorize, isTimeZone, reachOf } from '@switchyard/tenancy';
import { err, isoOf, ok, type Clock, type Result } from '@switchyard/values';
import { z } from 'zod';
import type { AdminFailure } from '../platform/failure.js';
import { instant, jsonObject } from '../platform/routes/fields.js';
import { timeFilter, timeQuery, uuidText } from '../platform/routes/list-filters.js';
import { listPage, nextCursor, pageQuery } from '../platform/routes/list-page.js';
import { routesOn } from '../platform/routes/route.js';
import { scopeOf, type PrincipalCaller } from '../platform/tasks/call/task-call.js';
import { modeOf } from './hand-out.js';
import { kindNames, kindOf, noticeKinds } from './notice-kinds.js';
import { textOf } from './notice-text.js';

export interface NoticesDeps {
  readonly notices: NoticeStore;
  /** Whether a mail server is set. */
  readonly hasMail: boolean;
  readonly clock: Clock;
}

/** What a notice is about. */
export const noticeObject = z
  .strictObject({ kind: z.string(), id: z.string() })
  .meta({ id: 'notice_event_data_object' });

const notice = z.strictObject({
  notice_id: z.string(),
  kind: z.string().describe('For example approval.requested.'),
  severity: z.enum(['info', 'warning', 'critical']),
  title: z.string(),
  text: z.string().exactOptional(),
  object: noticeObject,
  path: z.string().describe('The page of the object at the console, below /console.'),
  facts: jsonObject.describe('What the texts are made of.'),
  at: instant,
  read_at: instant.exactOptional(),
});

const example = {
  notice_id: '3c1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11',
  kind: 'approval.requested',
  severity: 'warning',
  title: 'A request of 10000 USD waits for your approval',
  text: 'Above the limit on client Nova.',
  object: { kind: 'approval', id: '2b1d5c1e-6f2e-4d0a-8c53-6c1b0f6a7d11' },
  path: '/inbox/approvals?operation_id=5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11&state=all',
  facts: {
    operation_id: '5f6b2c1e-0a55-4f0e-8c53-6c1b0f6a7d11',
    amount_micros: '10000000000',
    currency: 'USD',
  },
  at: '2026-11-21T12:00:00.000Z',
} as const;

const clockTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time such as 22:00');
const mode = z.enum(noticeModes);
const consoleMode = z.enum(['now', 'off']);

const settings = z.strictObject({
  email: z
    .string()
    .exactOptional()
    .describe('Where mail goes: the newest address that you have proved. Absent: no mail.'),
  mail_server: z.boolean().describe('Whether this installation sends mail.'),
  time_zone: z.string(),
  digest_hour: z.int().describe('When the daily mail is sent.'),
  quiet: z
    .strictObject({ from: clockTime, to: clockTime })
    .exactOptional()
    .describe('No mail is sent in these hours; it is sent at their end.'),
  kinds: z.array(
    z.strictObject({
      kind: z.string(),
      describe: z.string(),
      severity: z.enum(['info', 'warning', 'critical']),
      console: consoleMode,
      mail: mode,
    }),
  ),
});

const kindRules = <Mode extends z.ZodType<string>>(modes: Mode) =>
  z.partialRecord(z.enum(['*', ...kindNames]), z.union([modes, z.literal('usual')]));

const quietHours = z.strictObject({ from: clockTime, to: clockTime }).refine(({ from, to }) => from !== to, {
  message: 'must be another time than quiet.from: for no mail at all turn mail off',
  path: ['to'],
});

const change = z.strictObject({
  time_zone: z
    .union([z.string().max(64).refine(isTimeZone, 'must be a time zone such as Europe/Berlin'), z.null()])
    .exactOptional()
    .describe("null: the organization's."),
  digest_hour: z.int().min(0).max(23).exactOptional(),
  quiet: z.union([quietHours, z.null()]).exactOptional(),
  mail: kindRules(mode).exactOptional().describe('By kind; `*` is every kind that has no rule of its own.'),
  console: kindRules(consoleMode).exactOptional(),
});

const route = routesOn<NoticesDeps>();

/** Notices of the caller, and what reaches it how. Each notice has its own permission, so any credential may ask. */
export const noticeRoutes = [
  route({
    method: 'get',
    path: '/v1/notices',
    id: 'list_notices',
    summary: 'What you are told, newest first',
    needs: 'a_credential',
    query: z.strictObject({
      state: z.enum(['read', 'unread']).exactOptional(),
      kind: z.enum(kindNames).exactOptional(),
      ...timeQuery,
      ...pageQuery,
    }),
    answer: z.strictObject({
      notices: z.array(notice),
      unread: z.int().describe('How many are unread, counted up to 100.'),
      next_cursor: nextCursor,
    }),
    example: { notices: [example], unread: 1 },
    handle: async ({ notices }, { caller, query }) => {
      const { state, kind } = query;
      const reader = { readerId: caller.principalId, shown: noticesShown(caller) };
      const filter = {
        ...reader,
        ...timeFilter(query),
        ...(state !== undefined && { isRead: state === 'read' }),
        ...(kind !== undefined && { kind }),
      };
      const page = await listPage(
        { id: 'list_notices', caller, query },
        (read) => notices.list(scopeOf(caller), { ...filter, ...read }),
        ({ at, deliveryId }) => [at, deliveryId],
      );
      if (!page.ok) return page;
      const unread = await notices.unread(scopeOf(caller), reader);
      return ok({ notices: page.value.rows.map(viewOf), unread, ...page.value.next });
    },
  }),
  route({
    method: 'post',
    path: '/v1/notices/read',
    id: 'read_notices',
    summary: 'Mark notices as read: these, or all of yours',
    needs: 'a_credential',
    byPerson: true,
    body: z.strictObject({ notice_ids: z.array(uuidText).min(1).max(500).exactOptional() }),
    answer: z.strictObject({ changed: z.int() }),
    handle: async ({ notices, clock }, { caller, body: { notice_ids: ids } }) =>
      ok({ changed: await notices.mark(scopeOf(caller), caller.principalId, ids, clock.now()) }),
  }),
  route({
    method: 'post',
    path: '/v1/notices/unread',
    id: 'unread_notices',
    summary: 'Mark notices as unread again',
    needs: 'a_credential',
    byPerson: true,
    body: z.strictObject({ notice_ids: z.array(uuidText).min(1).max(500) }),
    answer: z.strictObject({ changed: z.int() }),
    handle: async ({ notices }, { caller, body: { notice_ids: ids } }) =>
      ok({ changed: await notices.mark(scopeOf(caller), caller.principalId, ids, undefined) }),
  }),
  route({
    method: 'get',
    path: '/v1/notices/settings',
    id: 'show_notice_settings',
    summary: 'What reaches you, how and when',
    needs: 'a_credential',
    answer: settings,
    handle: (deps, { caller }) => settingsOf(deps, caller),
  }),
  route({
    method: 'post',
    path: '/v1/notices/settings',
    id: 'set_notice_settings',
    summary: 'Set what reaches you, how and when; what is left out stays',
    needs: 'a_credential',
    byPerson: true,
    body: change,
    answer: settings,
    handle: async (deps, { caller, body }) => {
      const { notices, clock } = deps;
      const known = await notices.setting(scopeOf(caller), caller.principalId);
      await notices.saveSetting(scopeOf(caller), caller.principalId, changed(known, body), clock.now());
      return settingsOf(deps, caller);
    },
  }),
];

/** All permissions by which notices are shown. */
const everyNeed: readonly string[] = [
  ...new Set([
    ...Object.values(noticeKinds).flatMap(({ needs }) =>
      typeof needs === 'string' && needs !== 'its_addressee' ? [needs] : [],
    ),
    ...Object.values(decidesControl).map(({ area, kind }) => `${area}.${kind}`),
    ...['media_buys', 'creatives', 'signals'].map((area) => `${area}.approve`),
  ]),
];

/** The notices that a caller may see: those of each of its permissions, in its reach there. */
export function noticesShown(caller: PrincipalCaller): readonly NoticesShown[] {
  return everyNeed.flatMap((need) => {
    const [area, permission] = need.split('.') as [PermissionArea, PermissionKind];
    if (!authorize(caller, { access: 'credentials', area, permission }).ok) return [];
    return [{ needs: [need], reach: reachOf(caller, area, permission) }];
  });
}

async function settingsOf(
  { notices, hasMail }: NoticesDeps,
  caller: PrincipalCaller,
): Promise<Result<z.output<typeof settings>, AdminFailure>> {
  const person = await notices.person(scopeOf(caller), caller.principalId);
  if (person === undefined) return err(noPerson);
  const { setting, email, usualTimeZone } = person;
  const { quietFrom, quietTo } = setting ?? {};
  return ok({
    ...(email !== undefined && { email }),
    mail_server: hasMail,
    time_zone: setting?.timeZone ?? usualTimeZone,
    digest_hour: setting?.digestHour ?? 8,
    ...(quietFrom !== undefined &&
      quietTo !== undefined && { quiet: { from: timeText(quietFrom), to: timeText(quietTo) } }),
    kinds: kindNames.map((kind) => ({
      kind,
      describe: noticeKinds[kind].describe,
      severity: noticeKinds[kind].severity,
      console: modeOf(person, 'console', kind) === 'off' ? 'off' : 'now',
      mail: modeOf(person, 'mail', kind),
    })),
  });
}

const noPerson: AdminFailure = {
  code: 'INVALID_REQUEST',
  message: 'Notices reach people, and this credential is of no person.',
  suggestion: 'Add an endpoint to tell a system: switchyard endpoints add.',
};

function changed(known: NoticeSetting | undefined, body: z.output<typeof change>): NoticeSetting {
  const { timeZone, digestHour = 8, quietFrom, quietTo, rules = {} } = known ?? {};
  const zone = body.time_zone === undefined ? timeZone : (body.time_zone ?? undefined);
  const quiet =
    body.quiet === undefined
      ? { ...(quietFrom !== undefined && { quietFrom }), ...(quietTo !== undefined && { quietTo }) }
      : body.quiet === null
        ? {}
        : { quietFrom: minutesOf(body.quiet.from), quietTo: minutesOf(body.quiet.to) };
  return {
    digestHour: body.digest_hour ?? digestHour,
    ...(zone !== undefined && { timeZone: zone }),
    ...quiet,
    rules: { mail: merged(rules['mail'], body.mail), console: merged(rules['console'], body.console) },
  };
}

type Rules = NonNullable<NoticeSetting['rules'][string]>;

function merged(known: Rules = {}, wanted: Readonly<Record<string, string | undefined>> = {}): Rules {
  const all = Object.entries({ ...known, ...wanted });
  return Object.fromEntries(
    all.flatMap(([kind, rule]) => {
      const found = noticeModes.find((each) => each === rule);
      return found === undefined ? [] : [[kind, found] as const];
    }),
  );
}

const minutesOf = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
const timeText = (minutes: number): string =>
  [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');

function viewOf(shown: ShownNotice): z.output<typeof notice> {
  const { title, body, path } = textOf(shown);
  return {
    notice_id: shown.id,
    kind: shown.kind,
    severity: kindOf(shown.kind)?.severity ?? 'info',
    title,
    ...(body !== undefined && { text: body }),
    object: { kind: shown.objectKind, id: shown.objectId },
    path,
    facts: shown.data,
    at: isoOf(shown.at),
    ...(shown.readAt !== undefined && { read_at: isoOf(shown.readAt) }),
  };
}
