import { randomBytes } from 'node:crypto';
import { dialects } from '@switchyard/protocol';
import { signRequest, type SigningKey } from '@switchyard/signing';
import type { FloodCounts, FloodEvent, FloodPlan } from './flood-plan.js';

const sendersAtOnce = 12;
/** How long a sender waits for an answer, and pauses before it tries again if the server is down. */
const timeoutMs = 10_000;
const pauseMs = 100;

/**
 * Sends a script over HTTP as real senders do: repeats each delivery with the same bytes and a fresh signature until it
 * is acknowledged. It stores only what was acknowledged, in order.
 */
export class FloodSender {
  readonly acknowledged: FloodEvent[] = [];
  private readonly received = new Set<string>();
  private readonly queue: FloodEvent[];
  private readonly unexpected: string[] = [];
  private readonly total: number;
  private readonly counts = { posts: 0, acknowledged: 0, unanswered: 0, refused: 0, busy: 0 };
  private waiting: { readonly until: number; readonly notify: (isAll: boolean) => void } | undefined;
  /** Set while the server does not answer. */
  private silence: Silence | undefined;

  constructor(
    private readonly plan: FloodPlan,
    script: readonly FloodEvent[],
    private readonly keys: readonly SigningKey[],
    private readonly stranger: SigningKey,
  ) {
    this.queue = script.flatMap((event) => Array.from({ length: event.copies }, () => event));
    this.total = this.queue.length;
  }

  start(): void {
    for (let sender = 0; sender < sendersAtOnce; sender += 1) void this.keepSending();
  }

  /** Resolves when `more` further deliveries are acknowledged, or all are. */
  progressed(more: number): Promise<boolean> {
    return new Promise((resolve) => {
      this.waiting = { until: this.done + more, notify: resolve };
      this.refresh();
    });
  }

  state(): FloodCounts {
    return { ...this.counts, unexpected: this.unexpected.slice(0, 20) };
  }

  private get done(): number {
    return this.counts.acknowledged + this.counts.refused;
  }

  private refresh(): void {
    const { waiting } = this;
    if (waiting === undefined || (this.done < waiting.until && this.done < this.total)) return;
    this.waiting = undefined;
    waiting.notify(this.done >= this.total);
  }

  private async keepSending(): Promise<void> {
    while (this.done < this.total) {
      const event = this.next();
      if (event === undefined) await pause(5);
      else await this.deliver(event);
    }
  }

  /** Returns the first event whose earlier events are acknowledged. */
  private next(): FloodEvent | undefined {
    const at = this.queue.findIndex(({ after }) => after.every((name) => this.received.has(name)));
    return at < 0 ? undefined : this.queue.splice(at, 1)[0];
  }

  private async deliver(event: FloodEvent): Promise<void> {
    for (;;) {
      const status = await this.post(event);
      if (status === undefined) {
        await this.waitForAnswers(event);
        continue;
      }
      this.silence?.end();
      this.silence = undefined;
      if (event.update.kind === 'forged' && status === 401) {
        this.acknowledged.push(event);
        this.counts.refused += 1;
        return this.refresh();
      }
      if (status === 200 && event.update.kind !== 'forged') {
        this.acknowledged.push(event);
        this.received.add(event.name);
        this.counts.acknowledged += 1;
        return this.refresh();
      }
      if (status === 503 || status === 429) this.counts.busy += 1;
      else this.unexpected.push(`${String(status)} for ${event.name}`);
      await pause(pauseMs);
    }
  }

  /** The server is down. The first sender to notice retries; the others continue after the next answer. */
  private async waitForAnswers(event: FloodEvent): Promise<void> {
    this.counts.unanswered += 1;
    this.silence ??= noticedBy(event);
    await (this.silence.scout === event ? pause(pauseMs) : this.silence.over);
  }

  private async post({ buy, address, body, update }: FloodEvent): Promise<number | undefined> {
    const to = this.plan.buys[buy];
    const own = this.keys[to?.seller ?? -1];
    if (to === undefined || own === undefined) throw new Error('An event without a buy.');
    const url = `${this.plan.url}/webhooks/${address === 'task' ? to.taskAddress : to.reportAddress}`;
    const bytes = Buffer.from(body);
    const headers = { 'content-type': 'application/json' };
    const created = Math.floor(Date.now() / 1000);
    const signature = signRequest({
      method: 'POST',
      url,
      headers,
      body: bytes,
      keyid: own.kid,
      alg: 'ed25519',
      privateKey: (update.kind === 'forged' ? this.stranger : own).privateKey,
      tag: dialects.ads.webhookTag,
      created,
      expires: created + 300,
      nonce: randomBytes(16).toString('base64url'),
    });
    this.counts.posts += 1;
    const signal = AbortSignal.timeout(timeoutMs);
    const init = { method: 'POST', headers: { ...headers, ...signature }, body: bytes, signal };
    try {
      const answer = await fetch(url, init);
      await answer.arrayBuffer();
      return answer.status;
    } catch {
      return undefined;
    }
  }
}

interface Silence {
  /** The event that is sent again until there is an answer. */
  readonly scout: FloodEvent;
  readonly over: Promise<void>;
  end(): void;
}

function noticedBy(scout: FloodEvent): Silence {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { scout, over, end };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
