import type { FastifyReply } from 'fastify';

/**
 * Server-sent events over one reply. Opens with the first event, so that a refusal before it can still have its own
 * status.
 */
export class EventStream {
  #open = false;

  constructor(
    private readonly reply: FastifyReply,
    private readonly status = 200,
  ) {}

  get opened(): boolean {
    return this.#open;
  }

  /** Bytes that the reader has not read yet. */
  get unread(): number {
    return this.reply.raw.writableLength;
  }

  /** `data` is JSON text, which holds no line breaks. A reader reconnects with the last `id`. */
  send(data: string, event?: string, id?: string): void {
    if (!this.#open) this.#begin();
    this.#write(
      `${id === undefined ? '' : `id: ${id}\n`}${event ? `event: ${event}\n` : ''}data: ${data}\n\n`,
    );
  }

  /** Opens without an event, and sends the time to wait before a reconnect, in milliseconds. */
  openWith(retryMs: number): void {
    if (!this.#open) this.#begin();
    this.#write(`retry: ${retryMs}\n\n`);
  }

  /** A comment, which readers ignore: keeps proxies from closing a silent connection. Readers still store its `id`. */
  keepAlive(id?: string): void {
    if (this.#open) this.#write(id === undefined ? ':\n\n' : `id: ${id}\n\n`);
  }

  /** Resolves once the reader has read what was sent, or has disconnected. */
  taken(): Promise<void> {
    const { raw } = this.reply;
    if (!raw.writableNeedDrain || raw.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      raw.once('drain', resolve);
      raw.once('close', resolve);
    });
  }

  #write(text: string): void {
    if (!this.reply.raw.writableEnded && !this.reply.raw.destroyed) this.reply.raw.write(text);
  }

  end(): void {
    if (this.#open && !this.reply.raw.writableEnded) this.reply.raw.end();
  }

  #begin(): void {
    this.#open = true;
    this.reply.hijack();
    this.reply.raw.writeHead(this.status, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
  }
}
