import { PassThrough } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { WrittenAnswer } from './route.js';
import { refusal, sendAnswer, unexpectedFault } from '../http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../http/http-context.js';

/** Each uses a database connection until its reader has read all. A slow reader delays only its own organization. */
const atOnce = { ofOrganization: 2, inAll: 4 } as const;

/** How long a reader may read nothing, in milliseconds. */
const timeoutMs = 60_000;

/** The longest time of one answer, in milliseconds: its snapshot keeps the database from removing old rows. */
const longestMs = 60 * 60_000;

class ReaderGone extends Error {}

/** Sends answers that are written in parts, a few at once. */
@Injectable()
export class WrittenAnswers {
  /** Organizations with running answers, one item per answer. */
  readonly #open: string[] = [];

  constructor(@Inject(HTTP_CONTEXT) private readonly http: Pick<HttpContext, 'onUnexpected'>) {}

  async send(
    reply: FastifyReply,
    { writeTo }: WrittenAnswer,
    { organizationId, route }: { readonly organizationId: string; readonly route: string },
  ): Promise<void> {
    const own = this.#open.filter((text) => text === organizationId).length;
    if (own >= atOnce.ofOrganization || this.#open.length >= atOnce.inAll)
      return sendAnswer(reply, refusal(busy));
    this.#open.push(organizationId);
    const out = new PassThrough();
    const answer = { begun: false };
    const over = setTimeout(() => out.destroy(), longestMs);
    try {
      await writeTo(async (part) => {
        // From here on a failure can only end the answer early.
        if (!answer.begun) void reply.headers(headers).send(out);
        answer.begun = true;
        if (out.destroyed) throw new ReaderGone();
        if (!out.write(part)) await drained(out);
      });
      out.end();
    } catch (error) {
      if (!(error instanceof ReaderGone)) this.http.onUnexpected(error, route);
      if (answer.begun) out.destroy(error as Error);
      else sendAnswer(reply, refusal(unexpectedFault(error)));
    } finally {
      clearTimeout(over);
      this.#open.splice(this.#open.indexOf(organizationId), 1);
    }
  }
}

const headers = { 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' };

const busy = {
  code: 'UNAVAILABLE',
  message: 'Too many exports are being written: try again later.',
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
    const timer = setTimeout(onGone, timeoutMs);
    out.once('drain', onDrain).once('close', onGone);
  });
}
