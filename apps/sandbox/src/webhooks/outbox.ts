import { createHmac, randomBytes, type KeyObject } from 'node:crypto';
import { signRequest } from '@switchyard/signing';
import type { Agenda } from './agenda.js';
import type { Books } from '../buys/books.js';
import type { JsonObject } from '../json.js';
import type { Attempt, OutEvent } from './out-event.js';

/** Milliseconds to the next attempt, by attempts made; the last one repeats until the event is a day old. */
const waits = [250, 1000, 4000, 15_000, 60_000];
const giveUpAfterMs = 86_400_000;

/**
 * Sends webhooks, at least once. Events of one stream make their first attempt in order; a retry does not delay the
 * next event, so a receiver that fails for one event still gets the others (out of order).
 */
export class Outbox {
  readonly #streams = new Map<string, Promise<void>>();

  constructor(
    private readonly books: Books,
    private readonly agenda: Agenda,
    private readonly key: WebhookKey,
    private readonly timeoutMs = 10_000,
  ) {}

  /** Continues with what an earlier process left undelivered. */
  resume(): void {
    for (const event of this.books.unsettled.values()) this.send(event);
  }

  send(event: OutEvent): void {
    const before = this.#streams.get(event.stream) ?? Promise.resolve();
    const next = before.then(() => this.agenda.run(() => this.#try(event)));
    this.#streams.set(event.stream, next);
    void next.then(() => {
      if (this.#streams.get(event.stream) === next) this.#streams.delete(event.stream);
    });
  }

  async #try(event: OutEvent): Promise<void> {
    if (this.agenda.isStopped()) return;
    const firedAt = Date.now();
    const attempt = this.books.attemptsOf(event.key) + 1;
    const result = await this.#post(event, firedAt);
    if (this.agenda.isStopped()) return;
    const expired = Date.now() - event.createdAt > giveUpAfterMs;
    const settles = result.settles || expired;
    this.books.write({
      attempt: { ...result, settles, key: event.key, attempt, firedAt, completedAt: Date.now() },
    });
    if (settles) return;
    const wait = waits[Math.min(attempt, waits.length) - 1] ?? 60_000;
    this.agenda.at(Date.now() + wait, () => this.#try(event));
  }

  /** Posts a signed challenge, and returns what the answer has as `challenge`; undefined if there is none. */
  async ask(url: string, challenge: JsonObject): Promise<string | undefined> {
    const body = Buffer.from(JSON.stringify(challenge), 'utf8');
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: signWebhook(this.key, { url, contentType: 'application/json', body }, Date.now()),
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      const answer = (await response.json()) as { readonly challenge?: unknown };
      return response.ok && typeof answer.challenge === 'string' ? answer.challenge : undefined;
    } catch {
      return undefined;
    }
  }

  #headers({ url, contentType, secret, token }: OutEvent, body: Buffer, now: number): Record<string, string> {
    if (secret !== undefined) return hmacWebhook(this.key, secret, { contentType, body }, now);
    const signed = signWebhook(this.key, { url, contentType, body }, now);
    return token === undefined ? signed : { ...signed, 'X-A2A-Notification-Token': token };
  }

  async #post(event: OutEvent, now: number): Promise<Pick<Attempt, 'status' | 'httpStatus' | 'settles'>> {
    const body = Buffer.from(event.body, 'utf8');
    try {
      const response = await fetch(event.url, {
        method: 'POST',
        headers: this.#headers(event, body, now),
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(this.timeoutMs),
      });
      await response.arrayBuffer();
      if (response.ok) return { status: 'success', httpStatus: response.status, settles: true };
      return { status: 'failed', httpStatus: response.status, settles: isFinalRefusal(response) };
    } catch (error) {
      const timedOut = error instanceof Error && error.name === 'TimeoutError';
      return { status: timedOut ? 'timeout' : 'connection_error', httpStatus: null, settles: false };
    }
  }
}

/** A receiver that will never accept these bytes. A plain 401 does not count: its credentials may be in rotation. */
function isFinalRefusal(response: Response): boolean {
  if (response.status === 401) return (response.headers.get('www-authenticate') ?? '').includes('webhook_');
  return (
    [400, 404, 410, 413, 415].includes(response.status) || (response.status >= 300 && response.status < 400)
  );
}

interface WebhookKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  /** In the agent's dialect. */
  readonly tag: string;
  /** Of the older mode, in the agent's dialect. */
  readonly legacyNames: { readonly signature: string; readonly timestamp: string };
}

/** Headers for one attempt: a new validity window and nonce each time, over the same bytes. */
function signWebhook(
  key: WebhookKey,
  { url, contentType, body }: { readonly url: string; readonly contentType: string; readonly body: Buffer },
  now: number,
): Record<string, string> {
  const created = Math.floor(now / 1000);
  const headers = { 'Content-Type': contentType };
  const signed = signRequest({
    method: 'POST',
    url,
    headers,
    body,
    keyid: key.kid,
    alg: 'ed25519',
    privateKey: key.privateKey,
    tag: key.tag,
    created,
    expires: created + 300,
    nonce: randomBytes(16).toString('base64url'),
  });
  return { ...headers, ...signed };
}

/** The same for a receiver that requested the older mode: a proof over the current second and the bytes. */
function hmacWebhook(
  { legacyNames }: WebhookKey,
  secret: string,
  { contentType, body }: { readonly contentType: string; readonly body: Buffer },
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return {
    'Content-Type': contentType,
    [legacyNames.timestamp]: timestamp,
    [legacyNames.signature]: `sha256=${digest}`,
  };
}
