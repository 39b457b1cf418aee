import { microsToDecimal } from '@switchyard/money';
import type { Notice } from '@switchyard/store';
import type { JsonObject } from '@switchyard/values';

/** A notice in words: the same in every channel. */
export interface NoticeText {
  /** One line. */
  readonly title: string;
  /** More, if there is more to say. */
  readonly body?: string;
  /** The page of its object, below `/console`. Nothing on the way to it acts: it asks who is not signed in to sign in. */
  readonly path: string;
}

export function textOf({ kind, objectKind, objectId, data }: Notice): NoticeText {
  const words = (texts[kind] ?? unknownKind)(data, kind);
  const [title, body] = Array.isArray(words) ? (words as readonly [string, string]) : [words as string, ''];
  const path = pathOf(objectKind, objectId, data);
  return { title: clean(title, 200), path, ...(body !== '' && { body: clean(body, 600) }) };
}

type Words = string | readonly [title: string, body: string];

const unknownKind = (_data: JsonObject, kind: string): Words => kind.replaceAll(/[._]/g, ' ');

const texts: Readonly<Record<string, (data: JsonObject, kind: string) => Words>> = {
  'approval.requested': (data) => {
    const { control, seller, reason } = data;
    if (typeof seller === 'string') return [`The seller ${seller} asks a question`, text(reason)];
    const why = `${text(reason)}${untilOf(data)}`;
    if (typeof control === 'string')
      return [`A change waits for your approval: ${text(data['subject'])}`, why];
    return [`A request${amountOf(data)} waits for your approval`, why];
  },
  'approval.decided': (data) => {
    const { control, subject, state, reason } = data;
    const what = typeof control === 'string' ? `change of ${text(subject)}` : `request${amountOf(data)}`;
    const how = state === 'expired' ? 'has expired' : state === 'failed' ? 'failed' : `was ${text(state)}`;
    return [`Your ${what} ${how}`, text(reason)];
  },
  'alarm.raised': ({ alarm, subject }) => `Alarm ${text(alarm).replaceAll('_', ' ')}: ${text(subject)}`,
  'buy.failed': ({ task, status }) =>
    `${task === 'update_media_buy' ? 'A change of a buy' : 'A buy'} ${status === 'rejected' ? 'was rejected' : 'failed'}`,
  'seller.failing': ({ seller, code }) => [`The seller ${text(seller)} does not answer`, text(code)],
  'seller.recovered': ({ seller }) => `The seller ${text(seller)} answers again`,
  'credential.refused': ({ seller, code }) => [
    `The seller ${text(seller)} refuses our credential`,
    text(code),
  ],
  'credential.expiring': ({ seller, until, days }) =>
    `The credential for ${text(seller)} ends on ${text(until)}${days === 1 ? ', within a day' : ''}`,
  'limit.reached': (data) => [
    `The limit on ${text(data['subject'])} is used up`,
    `${text(data['committed'])} committed and ${text(data['pending'])} pending of ${text(data['limit'])} ${text(data['currency'])}`,
  ],
  'quota.near': ({ quota, used, most }) => [
    `The quota of ${text(quota)} is ${Number(used) < Number(most) ? 'nearly used' : 'used up'}`,
    `${text(used)} of ${text(most)}. The operator of the installation sets it.`,
  ],
  'organization.closed': ({ until }) => [
    'The organization was closed',
    `Nobody works in it any more. Everything of it is removed after ${text(until)}; until then an admin can open it again.`,
  ],
  'organization.kept': () => 'The organization was opened again, and nothing of it is removed',
  'webhook.quarantined': ({ seller, event, reason }) => [
    `A message of the seller ${text(seller)} waits for a person`,
    `${text(event)} ${text(reason)}`.trim(),
  ],
  'webhook.undelivered': ({ event, state, reason }) => [
    `A webhook to a buyer was not delivered: ${text(state)}`,
    `${text(event)} ${text(reason)}`.trim(),
  ],
  'invoice.held': (data) => [
    `Invoice ${text(data['number'])} of ${text(data['seller'])} is held${amountOf(data)}`,
    text(data['reason']),
  ],
  'break.opened': ({ seller, period }) => `Differences with ${text(seller)} in ${text(period)}`,
  'month.due': ({ period }) => `The month ${text(period)} has ended and is not closed`,
  'period.closed': ({ period }) => `The month ${text(period)} was closed`,
  'period.reopened': ({ period }) => `The month ${text(period)} was opened again`,
  'job.ended': ({ job, state, faults, error }) => [
    `Your job ${text(job).replaceAll('_', ' ')} has ${state === 'succeeded' ? 'ended' : text(state)}`,
    typeof faults === 'number' && faults > 0 ? `${String(faults)} items failed` : text(error),
  ],
  'endpoint.off': ({ name }) => [
    `The endpoint ${text(name)} was turned off`,
    'Nothing reached it for five days. What waits for it is listed; resume it once it works.',
  ],
  test: () => [
    'A test notice of Switchyard',
    'Somebody asked for it. If you read this, notices arrive here.',
  ],
};

function amountOf({ amount_micros: micros, currency }: JsonObject): string {
  if (typeof micros !== 'string' || !/^-?\d{1,24}$/.test(micros)) return '';
  return ` of ${microsToDecimal(BigInt(micros))} ${text(currency)}`;
}

/** When a request ends, to the minute. */
const untilOf = ({ expires_at: until }: JsonObject): string =>
  typeof until === 'string' ? ` It expires at ${until.slice(0, 16).replace('T', ' ')} UTC.` : '';

const text = (value: JsonObject[string] | undefined): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';

/** Parts of it come from sellers: no line breaks, no control or direction marks. */
const clean = (line: string, most: number): string =>
  line
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .trim()
    .slice(0, most);

function pathOf(kind: string, id: string, data: JsonObject): string {
  const encoded = encodeURIComponent(id);
  switch (kind) {
    case 'approval': {
      const operation = data['operation_id'];
      return typeof operation === 'string'
        ? `/inbox/approvals?operation_id=${encodeURIComponent(operation)}&state=all`
        : `/inbox/approvals?approval_id=${encoded}`;
    }
    case 'operation':
      return `/inbox/approvals?operation_id=${encoded}&state=all`;
    case 'seller':
      return `/sellers/${encoded}`;
    case 'event':
      return `/webhooks/${encoded}`;
    case 'outgoing-event':
      return `/webhooks/out?id=${encoded}`;
    case 'invoice':
      return `/invoices/${encoded}`;
    case 'period':
      return `/close?period=${encoded}`;
    case 'limit':
      return '/limits';
    case 'quota':
      return '/system/usage';
    case 'organization':
      return '/system/organization';
    case 'alarm':
      return '/system';
    case 'job':
      return '/system/jobs';
    default:
      return '/inbox';
  }
}
