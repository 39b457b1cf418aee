import type {
  HandedOut,
  Notice,
  NoticeEndpoint,
  NoticeMode,
  NoticePerson,
  PlannedDelivery,
} from '@switchyard/store';
import type { PermissionArea, PermissionKind } from '@switchyard/protocol';
import { isInReach, reachOf } from '@switchyard/tenancy';
import type { Instant } from '@switchyard/values';
import { kindOf, needsOf } from './notice-kinds.js';
import { minuteOfDay } from '../platform/minute-of-day.js';
import { isBetween, nextAt } from './when-to-tell.js';

/** More of one kind for one person at once go in one message. */
const mostAtOnce = 5;

interface Terms {
  readonly now: Instant;
  /** False without a mail server. */
  readonly hasMail: boolean;
  /** Returns a new UUID. */
  readonly newId: () => string;
}

/** Who is told of which notice, by which channel, and when. Pure. */
export function planDeliveries(
  notices: readonly Notice[],
  people: readonly NoticePerson[],
  endpoints: readonly NoticeEndpoint[],
  { now, hasMail, newId }: Terms,
): HandedOut {
  const needs = new Map<string, string>();
  const deliveries: PlannedDelivery[] = [];
  for (const notice of notices) {
    const [recipientId] = recipientOfSignIn(notice);
    if (recipientId !== undefined) {
      if (hasMail)
        deliveries.push({ id: newId(), noticeId: notice.id, recipientId, channel: 'mail', dueAt: now });
      continue;
    }
    const permission = needsOf(notice);
    if (permission !== undefined) needs.set(notice.id, permission);
    const told = { ...notice, ...(permission !== undefined && { needs: permission }) };
    for (const person of people) {
      if (!mayBeTold(person, told)) continue;
      const to = { noticeId: notice.id, recipientId: person.principal.id };
      if (modeOf(person, 'console', notice.kind) !== 'off')
        deliveries.push({ ...to, id: newId(), channel: 'console', dueAt: now });
      if (!hasMail || person.email === undefined) continue;
      const mode = modeOf(person, 'mail', notice.kind);
      if (mode !== 'off')
        deliveries.push({ ...to, id: newId(), channel: 'mail', ...timeOf(person, mode, now) });
    }
    for (const { id, channel, kinds } of endpoints)
      if (kinds.length === 0 || kinds.includes(notice.kind))
        deliveries.push({ id: newId(), noticeId: notice.id, recipientId: id, channel, dueAt: now });
  }
  const kinds = new Map(notices.map(({ id, kind }) => [id, kind]));
  return { deliveries: gathered(deliveries, (id) => kinds.get(id) ?? ''), needs };
}

/** Kinds whose mail holds a link that signs in: they go to one address, and nowhere else. */
const ofSignIn: ReadonlySet<string> = new Set(['invitation.sent', 'password.reset']);

export const isOfSignIn = ({ kind }: Pick<Notice, 'kind'>): boolean => ofSignIn.has(kind);

function recipientOfSignIn(notice: Notice): readonly [string?] {
  return isOfSignIn(notice) ? [notice.addresseeId ?? notice.objectId] : [];
}

/** Whether a person may be told now: the addressee, or who has the permission where the object is. */
export function mayBeTold({ principal }: Pick<NoticePerson, 'principal'>, notice: Notice): boolean {
  const { addresseeId, needs, kind, principalId, data } = notice;
  // Nobody is told of the end of a job that somebody stopped.
  if (kind === 'job.ended' && data['state'] === 'canceled') return false;
  if (addresseeId !== undefined) return principal.id === addresseeId;
  if (needs === undefined) return false;
  // Nobody decides an own request.
  if (kind === 'approval.requested' && principal.id === principalId) return false;
  const [area, permission] = needs.split('.') as [PermissionArea, PermissionKind];
  return isInReach(reachOf({ ...principal, principalId: principal.id }, area, permission), notice);
}

/** What a person has set for a kind, or the usual. */
export function modeOf(
  { setting }: Pick<NoticePerson, 'setting'>,
  channel: 'console' | 'mail',
  kind: string,
): NoticeMode {
  const rules = setting?.rules[channel];
  return rules?.[kind] ?? rules?.['*'] ?? (channel === 'mail' ? (kindOf(kind)?.mail ?? 'off') : 'now');
}

function timeOf(
  { setting, usualTimeZone }: NoticePerson,
  mode: NoticeMode,
  now: Instant,
): Pick<PlannedDelivery, 'dueAt' | 'digestAt'> {
  const zone = setting?.timeZone ?? usualTimeZone;
  if (mode === 'daily') {
    const digestAt = nextAt(now, (setting?.digestHour ?? 8) * 60, zone);
    return { dueAt: digestAt, digestAt };
  }
  const { quietFrom: from, quietTo: to } = setting ?? {};
  if (from === undefined || to === undefined || !isBetween(minuteOfDay(now, zone), from, to))
    return { dueAt: now };
  // All that came in the quiet hours goes in one message at their end.
  const digestAt = nextAt(now, to, zone);
  return { dueAt: digestAt, digestAt };
}

function gathered(
  deliveries: readonly PlannedDelivery[],
  kindOfNotice: (noticeId: string) => string,
): readonly PlannedDelivery[] {
  const isMailNow = ({ channel, digestAt }: PlannedDelivery): boolean =>
    channel === 'mail' && digestAt === undefined;
  const keyOf = ({ recipientId, noticeId }: PlannedDelivery): string =>
    `${recipientId} ${kindOfNotice(noticeId)}`;
  const counts = new Map<string, number>();
  for (const each of deliveries)
    if (isMailNow(each)) counts.set(keyOf(each), (counts.get(keyOf(each)) ?? 0) + 1);
  return deliveries.map((each) =>
    isMailNow(each) && (counts.get(keyOf(each)) ?? 0) > mostAtOnce ? { ...each, digestAt: each.dueAt } : each,
  );
}
