import type { Buffer } from 'node:buffer';
import {
  acceptWebhook,
  replayed,
  type AcceptedWebhook,
  type InboxEvent,
  type InboxStore,
  type WebhookRefusal,
  type WebhookRegistrations,
} from '@switchyard/events';
import { challengeHash, isExpected } from '@switchyard/protocol';
import type { Connection, ConnectionDirectory, OnboardingRuns, SellerKeySource } from '@switchyard/sellers';
import type { ReplayStore, ResolvedKey, SharedReplayStore, UnclaimedNonce } from '@switchyard/signing';
import type { SenderKeys } from '@switchyard/store';
import type { EventLog, MetricsRegistry } from '@switchyard/telemetry';
import type { TenantScope } from '@switchyard/tenancy';
import { type Clock, concealTexts, parseStrictJson } from '@switchyard/values';
import type { EchoAlarms } from '../../sellers/index.js';
import type { EvidenceVault } from './seal-evidence.js';
import type { LocalCredentials } from './local-credentials.js';
import { recentAddresses, type RecentAddresses, type WebhookAddress } from './recent-addresses.js';
import { isStanding, standingRegistration, type StandingBindings } from '../../relay/index.js';
import type { SenderBound } from './sender-bound.js';
import type { WebhookVerdicts } from './webhook-verdicts.js';
import type { WebhookSecrets } from './webhook-secrets.js';
import type { RateLimits } from '../../platform/caller/rate-limits.js';
import type { WebhookAnswer, WebhookIntake, WebhookPost } from './webhook-post.js';

export interface IntakeDeps {
  readonly log?: EventLog;
  readonly registrations: WebhookRegistrations;
  readonly inbox: InboxStore;
  /** For addresses that the relay gives out; if absent, there are none. */
  readonly standing?: StandingBindings;
  readonly nonces: SharedReplayStore;
  readonly keys: SellerKeySource;
  /** Stores each key that a message verified with: the message is evidence longer than its sender publishes the key. */
  readonly senderKeys?: Pick<SenderKeys, 'note'>;
  /** Gets each verdict. */
  readonly verdicts?: WebhookVerdicts;
  /** Limits how many unknown addresses one sender may try; if absent, any number. */
  readonly rates?: RateLimits;
  /** Limits the webhooks of one verified sender; if absent, there is no limit. */
  readonly bound?: SenderBound;
  /** Shared secrets of the older modes. */
  readonly secrets: WebhookSecrets;
  /** Our credentials at sellers, which are removed from every stored event. */
  readonly localCredentials: LocalCredentials;
  /** Gets each seller that writes our credential into a webhook. */
  readonly onEcho?: EchoAlarms['echoed'];
  readonly evidence: Pick<EvidenceVault, 'seal' | 'forget'>;
  readonly connections: Pick<ConnectionDirectory, 'byId'>;
  /** Challenges that we have asked sellers for; if absent, none is answered. */
  readonly challenges?: Pick<OnboardingRuns, 'answerChallenge'>;
  readonly clock: Clock;
  readonly newId: () => string;
  /** Our public address: the signed URL is rebuilt from it, never from a proxy's headers. */
  readonly baseUrl: () => string;
  readonly metrics: Pick<MetricsRegistry, 'webhooks' | 'webhookSeconds'>;
  /** Starts a read of an organization's inbox. */
  readonly notifyInbox: (organizationId: string) => void;
}

/**
 * The least time between two jobs of one organization, in milliseconds. A job and the block of a batch cost about as much
 * for one event as for fifty: under a stream of events, a longer pause makes larger batches. Somebody may wait for the
 * answer to a purchase; figures of a day may wait for those of other buys.
 */
const pauseMs = { answers: 200, reports: 1_000 };

/**
 * Adds one job for many events: the first event adds it at once; those within the pause after it share one job at its
 * end. A job is a row in a queue and would cost more than its event.
 */
export function enqueueOnce(
  clock: Clock,
  enqueue: (organizationId: string) => void,
  pause: number,
): (organizationId: string) => void {
  /** Organizations in their pause, and whether an event came since. */
  const resting = new Map<string, boolean>();
  const enqueueNow = (organizationId: string): void => {
    resting.set(organizationId, false);
    enqueue(organizationId);
    clock.after(pause, () => {
      const more = resting.get(organizationId) === true;
      resting.delete(organizationId);
      if (more) enqueueNow(organizationId);
    });
  };
  return (organizationId) => {
    if (resting.has(organizationId)) resting.set(organizationId, true);
    else enqueueNow(organizationId);
  };
}

interface Intake extends IntakeDeps {
  readonly addresses: RecentAddresses;
  readonly notify: (event: InboxEvent) => void;
}

/**
 * Receives webhooks: verifies them by their registration, claims and stores them in one statement, and acknowledges
 * only after its commit. They are interpreted later.
 */
export function createWebhookIntake(deps: IntakeDeps): WebhookIntake {
  const notifyOfReports = enqueueOnce(deps.clock, deps.notifyInbox, pauseMs.reports);
  const notifyOfAnswers = enqueueOnce(deps.clock, deps.notifyInbox, pauseMs.answers);
  const intake: Intake = {
    ...deps,
    addresses: recentAddresses(deps),
    notify: ({ organizationId, kind }) =>
      (kind === 'delivery_report' ? notifyOfReports : notifyOfAnswers)(organizationId),
  };
  const { rates } = deps;
  return {
    ...(rates === undefined
      ? {}
      : {
          admit: (registration, from) =>
            intake.addresses.isKnown(registration) ? undefined : rates.take(`address:${from}`, 'failure'),
        }),
    accept: async (post) => {
      const began = performance.now();
      const { answer, outcome } = await accept(intake, post);
      deps.metrics.webhooks.inc({ outcome });
      const durationMs = performance.now() - began;
      deps.metrics.webhookSeconds.observe(durationMs / 1_000);
      deps.log?.('webhook_in', {
        outcome,
        // Of an unknown address nothing is ours.
        registration: outcome === 'unknown' ? 'unknown' : post.registration,
        duration_ms: Math.round(durationMs),
      });
      return answer;
    },
  };
}

async function accept(deps: Intake, post: WebhookPost): Promise<{ answer: WebhookAnswer; outcome: string }> {
  const wasCharged = post.from !== undefined && !deps.addresses.isKnown(post.registration);
  const found = await addressOf(deps, post);
  if (found === undefined) {
    return {
      answer: refusal(404, 'unknown_registration', 'There is no registration with this address.'),
      outcome: 'unknown',
    };
  }
  if (wasCharged) deps.rates?.giveBack(`address:${post.from}`, 'failure');
  const { registration, connection } = found;
  const scope = { organizationId: registration.organizationId };
  const sought = deps.keys.of(connection);
  let used: ResolvedKey | undefined;
  const late = lateNonce(deps.nonces);
  const first = await acceptWebhook(
    {
      message: {
        method: post.method,
        url: `${deps.baseUrl()}${post.rawUrl}`,
        headers: post.headers,
        body: post.body,
      },
      registration,
      form: connection.form,
      newId: deps.newId(),
    },
    {
      keys: {
        ...sought,
        resolve: async (keyid) => {
          const found = await sought.resolve(keyid);
          if (found.ok) used = found.value;
          return found;
        },
      },
      replays: late.replays,
      revocations: deps.keys.revocationsOf(connection),
      ...(registration.credentialId === undefined
        ? {}
        : { secret: () => deps.secrets(registration, connection) }),
      localCredentials: () => deps.localCredentials(connection),
    },
    deps.clock.now(),
  );
  const { judged, nonce } = await withNonce(deps, first, late.unclaimed());
  if (nonce === undefined) deps.verdicts?.record(connection, post, judged);
  // Bytes to seal contain a secret, which is not always our credential at the seller.
  if (judged.toSeal !== undefined && holdsOwn(judged.toSeal, await deps.localCredentials(connection)))
    deps.onEcho?.({ ...scope, connectionId: connection.id });
  // Stored refusals count too: an authentic sender could fill a disk with malformed envelopes.
  const sender = judged.ok ? judged.event.sender : judged.evidence?.sender;
  const wait = sender === undefined ? undefined : deps.bound?.take(sender);
  if (wait !== undefined) return { answer: busy(wait), outcome: 'bound' };
  await noteKey(deps, scope, judged.ok ? judged.event : judged.evidence, used);
  const sealedId =
    judged.toSeal === undefined ? undefined : await deps.evidence.seal(scope, connection, judged.toSeal);
  // Without a vault, bytes that contain a secret are not stored in clear text: the webhook is refused, and sent again.
  if (judged.toSeal !== undefined && sealedId === undefined)
    return {
      answer: refusal(503, 'evidence_unavailable', 'This webhook was not stored. Send it again.'),
      outcome: 'refused',
    };
  if (!judged.ok) return { answer: await refuse(deps, judged, sealedId), outcome: 'refused' };
  if (judged.challenge !== undefined && !(await isAsked(deps, connection, judged)))
    return {
      answer: refusal(400, 'challenge_unexpected', 'We have not asked for this challenge.'),
      outcome: 'refused',
    };
  const stored = await store(deps, connection, judged, { nonce, sealedId });
  const end = stored === 'replayed' ? replayed(judged) : judged;
  if (nonce !== undefined) deps.verdicts?.record(connection, post, end);
  if (!end.ok) {
    deps.bound?.giveBack(judged.event.sender);
    return { answer: await refuse(deps, end, sealedId), outcome: 'refused' };
  }
  if (judged.challenge !== undefined)
    return {
      answer: {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ challenge: judged.challenge.challenge }),
      },
      outcome: stored,
    };
  // A duplicate gets the answer of the first copy: the sender needs to know that it arrived.
  return { answer: { status: 200, headers: {}, body: '' }, outcome: stored };
}

/** Far from the cap of its key, a nonce is not claimed when it is verified: the statement that stores its event claims it. */
function lateNonce(nonces: SharedReplayStore): {
  readonly replays: ReplayStore;
  readonly unclaimed: () => UnclaimedNonce | undefined;
} {
  let unclaimed: UnclaimedNonce | undefined;
  return {
    replays: {
      isFull: (key) => nonces.isFull(key),
      claim: async (key, nonce, expiresAt) => {
        if (!(await nonces.leaves(key))) return nonces.claim(key, nonce, expiresAt);
        unclaimed = { key, nonce, expiresAt };
        return 'claimed';
      },
    },
    unclaimed: () => unclaimed,
  };
}

/** Claims the nonce of what is not stored at once as an event; nothing is done about a message whose nonce was used. */
async function withNonce(
  { nonces }: IntakeDeps,
  judged: AcceptedWebhook | WebhookRefusal,
  nonce: UnclaimedNonce | undefined,
): Promise<{
  readonly judged: AcceptedWebhook | WebhookRefusal;
  readonly nonce?: UnclaimedNonce | undefined;
}> {
  const isStoredNext = judged.ok && judged.toSeal === undefined && judged.challenge === undefined;
  if (nonce === undefined || isStoredNext) return { judged, nonce };
  const claimed = await nonces.claim(nonce.key, nonce.nonce, nonce.expiresAt);
  return { judged: claimed === 'claimed' ? judged : replayed(judged) };
}

/** Whether we wait for this challenge now: its echo proves to the seller that the address is ours. */
async function isAsked(
  { challenges, clock }: IntakeDeps,
  { id, organizationId }: Connection,
  { challenge, event }: AcceptedWebhook,
): Promise<boolean> {
  if (challenge === undefined || challenges === undefined || event.keyid === undefined) return false;
  return challenges.answerChallenge(
    { organizationId },
    id,
    { hash: challengeHash(challenge.challenge), keyid: event.keyid },
    (expected) => isExpected(challenge, expected),
    clock.now(),
  );
}

/** Before the message is stored, so that no message is there without its key. */
async function noteKey(
  { senderKeys }: IntakeDeps,
  scope: TenantScope,
  stored: { readonly sender?: string; readonly keyid?: string } | undefined,
  used: ResolvedKey | undefined,
): Promise<void> {
  const { sender, keyid } = stored ?? {};
  if (sender !== undefined && keyid !== undefined && used !== undefined)
    await senderKeys?.note(scope, { sender, keyid, publicJwk: used.jwk });
}

/** The registration of the address, or the one that the body names under a shared address. */
async function addressOf(
  { addresses, standing }: Intake,
  { registration, body }: WebhookPost,
): Promise<WebhookAddress | undefined> {
  if (standing === undefined || !isStanding(registration)) return addresses.find(registration);
  for (const id of await standingRegistration(registration, body, standing)) {
    const found = await addresses.find(id);
    if (found === undefined) continue;
    addresses.noteKnown(registration);
    return found;
  }
  return undefined;
}

async function store(
  deps: Intake,
  { organizationId }: Connection,
  { event }: AcceptedWebhook,
  { nonce, sealedId }: { readonly nonce: UnclaimedNonce | undefined; readonly sealedId: string | undefined },
): Promise<'stored' | 'duplicate' | 'changed' | 'replayed'> {
  if (sealedId === undefined) {
    const stored = await deps.inbox.claimAndStore(nonce === undefined ? event : { ...event, nonce });
    if (stored === 'stored') deps.notify(event);
    return stored;
  }
  const stored = await deps.inbox.claimAndStore({ ...event, sealedId });
  if (stored === 'stored') deps.notify(event);
  else await deps.evidence.forget({ organizationId }, sealedId);
  return stored;
}

async function refuse(
  deps: IntakeDeps,
  judged: WebhookRefusal,
  sealedId: string | undefined,
): Promise<WebhookAnswer> {
  if (judged.evidence !== undefined)
    await deps.inbox.storeRefused({
      ...judged.evidence,
      ...(sealedId === undefined ? {} : { sealedId }),
    });
  const headers = judged.wwwAuthenticate === undefined ? {} : { 'www-authenticate': judged.wwwAuthenticate };
  return refusal(judged.httpStatus, judged.code, judged.message, headers);
}

function refusal(
  status: number,
  code: string,
  message: string,
  headers: WebhookAnswer['headers'] = {},
): WebhookAnswer {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ errors: [{ code, message }] }),
  };
}

/** Nothing was stored: the sender keeps the event and sends it again. */
function busy(seconds: number): WebhookAnswer {
  const message =
    'Too many webhooks of this sender in a minute. This one was not stored: send it again later.';
  return refusal(429, 'rate_limited', message, { 'retry-after': String(seconds) });
}

/** Whether a body contains one of these secrets, plain or written with escapes. */
function holdsOwn(body: Buffer, own: readonly string[]): boolean {
  const text = body.toString('utf8');
  if (own.some((secret) => text.includes(secret))) return true;
  const json = parseStrictJson(body);
  return json.ok && concealTexts(json.value.value, own) !== json.value.value;
}
