import type { FastifyReply } from 'fastify';

/**
 * Server-sent events over one reply. Opens with the first event, so that an answer which turns out to be a refusal
 * can still leave with its own status.
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

  /** `data` is JSON text, which holds no line breaks. */
  send(data: string, event?: string): void {
    if (!this.#open) this.#begin();
    if (this.reply.raw.writableEnded || this.reply.raw.destroyed) return;
    this.reply.raw.write(`${event ? `event: ${event}\n` : ''}data: ${data}\n\n`);
  }

  /** A comment, which readers pass over: keeps what lies between from closing a silent connection. */
  keepAlive(): void {
    if (this.#open && !this.reply.raw.writableEnded && !this.reply.raw.destroyed)
      this.reply.raw.write(':\n\n');
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
