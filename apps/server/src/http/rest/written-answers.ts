import { PassThrough } from 'node:stream';
import type { FastifyReply } from 'fastify';
import type { WrittenAnswer } from '../../admin/route.js';
import { refusal, sendAnswer, unexpectedFault } from '../door-answer.js';
import type { HttpContext } from '../http-context.js';

/** Each holds a connection to the database until its reader has taken everything. */
const writtenAtOnce = 2;

/** How long a reader may take nothing, in milliseconds. */
const patienceMs = 60_000;

/** How long one may be read, in milliseconds: its snapshot keeps the database from removing what nobody else needs. */
const longestMs = 60 * 60_000;

class ReaderGone extends Error {}

/** Sends answers that are written part by part, a few at once. */
export class WrittenAnswers {
  #open = 0;

  constructor(private readonly doors: Pick<HttpContext, 'onUnexpected'>) {}

  async send(reply: FastifyReply, { writeTo }: WrittenAnswer, where: string): Promise<void> {
    if (this.#open >= writtenAtOnce) return sendAnswer(reply, refusal(busy));
    this.#open += 1;
    const out = new PassThrough();
    const answer = { begun: false };
    const over = setTimeout(() => out.destroy(), longestMs);
    try {
      await writeTo(async (part) => {
        // From here on a failure can only cut the answer off.
        if (!answer.begun) void reply.headers(headers).send(out);
        answer.begun = true;
        if (out.destroyed) throw new ReaderGone();
        if (!out.write(part)) await drained(out);
      });
      out.end();
    } catch (error) {
      if (!(error instanceof ReaderGone)) this.doors.onUnexpected(error, where);
      if (answer.begun) out.destroy(error as Error);
      else sendAnswer(reply, refusal(unexpectedFault(error)));
    } finally {
      clearTimeout(over);
      this.#open -= 1;
    }
  }
}

const headers = { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' };

const busy = {
  code: 'UNAVAILABLE',
  message: 'Other exports are being written: try again when they are done.',
  recovery: 'transient',
  retryAfter: 30,
} as const;

function drained(out: PassThrough): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      out.off('drain', onDrain).off('close', onGone);
      settle();
    };
    const onDrain = (): void => end(resolve);
    const onGone = (): void => end(() => reject(new ReaderGone()));
    const timer = setTimeout(onGone, patienceMs);
    out.once('drain', onDrain).once('close', onGone);
  });
}
