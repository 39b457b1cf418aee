import { nextAttemptAt, type NoticeConnector } from '@switchyard/events';
import type { Mail, MailMessage } from '@switchyard/mail';
import type { Egress } from '@switchyard/sellers';
import type {
  ClaimedDelivery,
  DeliveryEnd,
  EndpointRepository,
  Notice,
  NoticeEndpoint,
  NoticeStore,
} from '@switchyard/store';
import type { IsStopped, TenantScope } from '@switchyard/tenancy';
import { err, isJsonObject, ok, type Clock, type Result } from '@switchyard/values';
import type { Vault } from '@switchyard/vault';
import { postOf, type EndpointSecret } from './channel-posts.js';
import { isOfSignIn, mayBeTold, modeOf } from './hand-out.js';
import { mailOf } from './notice-mail.js';
import { textOf } from './notice-text.js';

export interface SendNoticesDeps {
  readonly notices: NoticeStore;
  readonly endpoints: EndpointRepository;
  /**
   * Writes the mail of an invitation or a new password, whose link is made only now; undefined if its time is over.
   * Rejects if it cannot be written now.
   */
  readonly mailOfSignIn: (scope: TenantScope, notice: Notice) => Promise<Omit<MailMessage, 'id'> | undefined>;
  /** Absent without a mail server. */
  readonly mail?: Pick<Mail, 'send'>;
  readonly egress: Pick<Egress, 'request'>;
  readonly vault: Pick<Vault, 'withSecret'>;
  /** Places that packages outside of the product have brought. */
  readonly noticeConnectors?: readonly NoticeConnector[];
  readonly isStopped: IsStopped;
  readonly baseUrl: () => string;
  readonly clock: Clock;
  /** A number in [0, 1). */
  readonly random: () => number;
  readonly onUnexpected: (error: unknown, where: string) => void;
  /** Called with what each attempt came to. */
  readonly onAttempt?: (attempt: { readonly channel: string; readonly outcome: string }) => void;
}

/** Deliveries that one process makes at once for an organization. */
const atOnce = 20;
/** Longer than an attempt can take, in milliseconds: after it, another process may take the delivery. */
const leaseMs = 90_000;
const timeoutMs = 10_000;
const answerCap = 64 * 1024;
/** How long deliveries wait under an emergency stop, in milliseconds. */
const stoppedMs = 30_000;
/** After so long without a success an endpoint is turned off, in milliseconds: five days. */
const offAfterMs = 5 * 24 * 3_600_000;

type Sent = Result<undefined, { readonly reason: string; readonly isPermanent: boolean }>;

/**
 * Makes deliveries that are due. An attempt is counted and committed before it is made, and settled after it: a crash in
 * between repeats it under the same id. True if more may be due.
 */
export async function sendNotices(deps: SendNoticesDeps, scope: TenantScope): Promise<boolean> {
  const { notices, clock } = deps;
  const claimed = await notices.claim(scope, clock.now(), leaseMs, atOnce);
  await Promise.all(
    groupsOf(claimed).map((group) =>
      sendGroup(deps, scope, group).catch((error: unknown) => {
        // Its lease ends, and it is tried again.
        deps.onUnexpected(error, 'sending a notice');
      }),
    ),
  );
  return claimed.length > 0;
}

/** Those of one message. */
function groupsOf(claimed: readonly ClaimedDelivery[]): readonly (readonly ClaimedDelivery[])[] {
  const groups = new Map<string, ClaimedDelivery[]>();
  for (const delivery of claimed) {
    const { id, recipientId, channel, digestAt } = delivery;
    const key = digestAt === undefined ? id : `${recipientId} ${channel} ${String(digestAt)}`;
    groups.set(key, [...(groups.get(key) ?? []), delivery]);
  }
  return [...groups.values()];
}

async function sendGroup(
  deps: SendNoticesDeps,
  scope: TenantScope,
  group: readonly ClaimedDelivery[],
): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  if (await deps.isStopped(scope.organizationId, 'all', ''))
    return settle(deps, scope, group, {
      state: 'waiting',
      dueAt: deps.clock.now() + stoppedMs,
      reason: 'stopped',
    });
  if (isOfSignIn(first.notice)) return sendSignInMail(deps, scope, first);
  return first.channel === 'mail' ? sendMail(deps, scope, group) : sendToEndpoint(deps, scope, first);
}

async function sendMail(
  deps: SendNoticesDeps,
  scope: TenantScope,
  group: readonly ClaimedDelivery[],
): Promise<void> {
  const [first] = group;
  if (first === undefined) return;
  const person = await deps.notices.person(scope, first.recipientId);
  const mail = deps.mail;
  // The person may have lost a role, or the address, since the notice was handed out.
  const isTold = ({ notice }: ClaimedDelivery): boolean =>
    person?.email !== undefined && mayBeTold(person, notice) && modeOf(person, 'mail', notice.kind) !== 'off';
  const told = group.filter(isTold);
  const others = group.filter((delivery) => !isTold(delivery));
  if (others.length > 0)
    await settle(deps, scope, others, { state: 'dropped', reason: 'the recipient may not be told any more' });
  if (told.length === 0 || person === undefined) return;
  if (mail === undefined)
    return settle(deps, scope, told, { state: 'failed', reason: 'no mail server is set' });
  const items = told.map(({ notice }) => ({ ...textOf(notice), link: linkTo(deps, notice) }));
  const id = first.digestAt === undefined ? first.id : `${first.recipientId}.${String(first.digestAt)}`;
  const sent = await mail.send(mailOf(id, person, items, `${deps.baseUrl()}/console/account`));
  await settle(
    deps,
    scope,
    told,
    endOf(deps, first, sent.ok ? ok(undefined) : err({ ...sent.error, reason: sent.error.code })),
  );
}

async function sendSignInMail(
  deps: SendNoticesDeps,
  scope: TenantScope,
  delivery: ClaimedDelivery,
): Promise<void> {
  const { mail } = deps;
  if (mail === undefined)
    return settle(deps, scope, [delivery], { state: 'failed', reason: 'no mail server is set' });
  const message = await deps.mailOfSignIn(scope, delivery.notice);
  if (message === undefined)
    return settle(deps, scope, [delivery], { state: 'dropped', reason: 'its link is over' });
  const sent = await mail.send({ ...message, id: delivery.id });
  const end = sent.ok ? sent : err({ ...sent.error, reason: sent.error.code });
  await settle(deps, scope, [delivery], endOf(deps, delivery, end));
}

async function sendToEndpoint(
  deps: SendNoticesDeps,
  scope: TenantScope,
  delivery: ClaimedDelivery,
): Promise<void> {
  const endpoint = await deps.endpoints.find(scope, delivery.recipientId);
  if (endpoint === undefined)
    return settle(deps, scope, [delivery], { state: 'dropped', reason: 'the endpoint was removed' });
  const sent = await postNotice(deps, scope, endpoint, delivery);
  const at = deps.clock.now();
  await settle(deps, scope, [delivery], endOf(deps, delivery, sent));
  const attempt = { isSent: sent.ok, at, offBefore: at - offAfterMs };
  if (!(await deps.endpoints.noteAttempt(scope, endpoint.id, attempt))) return;
  await deps.notices.add(scope, {
    kind: 'endpoint.off',
    objectKind: 'endpoint',
    objectId: endpoint.id,
    data: { name: endpoint.name },
    dedupeKey: `endpoint.off:${endpoint.id}:${String(endpoint.failingSince ?? at)}`,
    at,
  });
}

/** One POST to an endpoint. */
export async function postNotice(
  deps: Pick<SendNoticesDeps, 'vault' | 'egress' | 'baseUrl' | 'clock' | 'noticeConnectors'>,
  scope: TenantScope,
  { channel, credentialId, origin }: NoticeEndpoint,
  { id, notice }: { readonly id: string; readonly notice: Notice },
): Promise<Sent> {
  const { organizationId } = scope;
  const message = {
    id,
    organizationId,
    notice,
    text: textOf(notice),
    link: linkTo(deps, notice),
    now: deps.clock.now(),
  };
  const opened = await deps.vault.withSecret(
    scope,
    { credentialId, kind: 'notice', destination: origin },
    { purpose: 'notice', actor: 'notices' },
    (secret) => {
      const post = postOf(channel, secret.useText(secretOf), message, deps.noticeConnectors);
      if (post === undefined) return Promise.resolve(undefined);
      return deps.egress.request({ method: 'POST', ...post, maxBytes: answerCap, timeoutMs });
    },
  );
  if (!opened.ok) return err({ reason: `vault: ${opened.error.code}`, isPermanent: false });
  const answer = opened.value;
  // It may be loaded again, or mended, within the time of its attempts.
  if (answer === undefined) return err({ reason: `connector ${channel}`, isPermanent: false });
  if (!answer.ok) {
    const { code } = answer.error;
    return err({ reason: code, isPermanent: code.startsWith('blocked_') });
  }
  const { status } = answer.value;
  if (status >= 200 && status < 300) return ok(undefined);
  // Gone, or not what the receiver understands: a repetition would be the same.
  const isPermanent = status === 410 || status === 400 || status === 413;
  return err({ reason: `HTTP ${String(status)}`, isPermanent });
}

export function secretOf(text: string): EndpointSecret {
  const read: unknown = JSON.parse(text);
  if (!isJsonObject(read) || typeof read['url'] !== 'string')
    throw new Error('The sealed secret of an endpoint is not what was sealed.');
  const { url, key, previous } = read;
  return {
    url,
    ...(typeof key === 'string' && { key }),
    ...(isJsonObject(previous) &&
      typeof previous['key'] === 'string' &&
      typeof previous['until'] === 'number' && {
        previous: { key: previous['key'], until: previous['until'] },
      }),
  };
}

function endOf(
  { clock, random }: Pick<SendNoticesDeps, 'clock' | 'random'>,
  { attempt, notice, digestAt }: ClaimedDelivery,
  sent: Sent,
): DeliveryEnd {
  if (sent.ok) return { state: 'sent' };
  const { reason, isPermanent } = sent.error;
  const now = clock.now();
  const createdAt = Math.max(notice.at, digestAt ?? 0);
  const dueAt = isPermanent ? undefined : nextAttemptAt({ attempt, createdAt, now, random: random() });
  return dueAt === undefined ? { state: 'failed', reason } : { state: 'waiting', dueAt, reason };
}

function settle(
  { notices, clock, onAttempt }: Pick<SendNoticesDeps, 'notices' | 'clock' | 'onAttempt'>,
  scope: TenantScope,
  group: readonly ClaimedDelivery[],
  end: DeliveryEnd,
): Promise<void> {
  const [first] = group;
  if (first !== undefined) onAttempt?.({ channel: first.channel, outcome: end.state });
  return notices.settle(scope, group, end, clock.now());
}

const linkTo = ({ baseUrl }: Pick<SendNoticesDeps, 'baseUrl'>, notice: Notice): string =>
  `${baseUrl()}/console${textOf(notice).path}`;
