import { Buffer } from 'node:buffer';
import type { EgressFailure } from '@switchyard/sellers';
import { err, ok, type Result } from '@switchyard/values';
import type { Dispatcher } from 'undici';
import { EgressError, failureFrom, failureOf } from './failure.js';

export type AnswerHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: AnswerHeaders;
  readonly body: Buffer;
}

export interface StreamedAnswer extends Omit<Answer, 'body'> {
  readonly body: ReadableStream<Uint8Array>;
}

export interface ExchangeLimits {
  readonly maxBytes: number;
  /** Limit of the whole exchange, in milliseconds. Absent if the caller's signal is the deadline. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Which successful answers are returned while they arrive; every other answer is buffered. */
  readonly streams: 'none' | 'events' | 'all';
  /** Returns a redirect as an answer instead of a failure. */
  readonly returnsRedirects?: boolean;
}

/** Answers that announce the real one (1xx). No server has a use for more of them. */
const mostInterim = 100;
/**
 * Pieces of an answer that are taken whatever their length; those after them must hold some bytes on average. Each piece
 * takes its time and keeps some hundred bytes, so that an answer byte by byte would take a hundred times its length.
 */
const freePieces = 10_000;
const leastBytesOfPiece = 32;

type Settled = Result<Answer | StreamedAnswer, EgressFailure>;

/**
 * One request and its answer, as a handler of undici. Buffered answers need no stream objects, which are most of the
 * cost of `fetch`.
 *
 * It records whether writing of the request began, and so whether the peer can have acted on it.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #limits: ExchangeLimits;
  readonly #settle: (outcome: Settled) => void;
  readonly #onAbort = (): void => this.#giveUp('aborted');
  #timer: NodeJS.Timeout | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #settled = false;
  #finished = false;
  #status = 0;
  #statusText = '';
  #headers: AnswerHeaders = {};
  #chunks: Buffer[] = [];
  #size = 0;
  #pieces = 0;
  #interim = 0;
  #stream: ReadableStreamDefaultController<Uint8Array> | undefined;

  private constructor(limits: ExchangeLimits, settle: (outcome: Settled) => void) {
    this.#limits = limits;
    this.#settle = settle;
  }

  static run(
    dispatcher: Dispatcher,
    options: Dispatcher.DispatchOptions,
    limits: ExchangeLimits,
  ): Promise<Settled> {
    if (limits.signal?.aborted === true) return Promise.resolve(err(failureOf('aborted', 'no')));
    return new Promise((resolve) => {
      const exchange = new Exchange(limits, resolve);
      exchange.#watch();
      try {
        dispatcher.dispatch(options, exchange);
      } catch (error) {
        exchange.onResponseError(undefined, error);
      }
    });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // The request was aborted while it waited for a connection: nothing may be written any more.
    if (this.#finished) controller.abort(new EgressError(failureOf('aborted', 'no')));
    this.#controller = controller;
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: AnswerHeaders,
    statusText = '',
  ): void {
    if (status < 200) {
      this.#interim += 1;
      if (this.#interim > mostInterim) this.#refuse(controller, failureOf('broken_response', 'maybe'));
      return;
    }
    const isRedirect = status >= 300 && status < 400 && status !== 304;
    if (isRedirect && this.#limits.returnsRedirects !== true) {
      return this.#refuse(controller, failureOf('redirect_refused', 'maybe', { status }));
    }
    const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase();
    if (encoding !== 'identity') return this.#refuse(controller, failureOf('encoding_refused', 'maybe'));
    if (Number(headers['content-length'] ?? 0) > this.#limits.maxBytes) {
      return this.#refuse(controller, failureOf('too_large', 'maybe'));
    }
    this.#status = status;
    this.#statusText = statusText;
    this.#headers = headers;
    if (isStreamed(this.#limits.streams, status, headers)) this.#openStream(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A resumed parser may report an empty chunk. Pausing on it would resume and pause for ever.
    if (this.#finished || chunk.length === 0) return;
    this.#size += chunk.length;
    this.#pieces += 1;
    const isCrumbs = this.#pieces > freePieces && this.#size < this.#pieces * leastBytesOfPiece;
    if (isCrumbs || this.#size > this.#limits.maxBytes)
      return this.#refuse(controller, failureOf('too_large', 'maybe'));
    if (this.#stream === undefined) {
      this.#chunks.push(chunk);
      return;
    }
    this.#stream.enqueue(chunk);
    if ((this.#stream.desiredSize ?? 0) <= 0) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#finished) return;
    const [first] = this.#chunks;
    const body =
      this.#chunks.length === 1 && first !== undefined ? first : Buffer.concat(this.#chunks, this.#size);
    this.#end(ok({ status: this.#status, statusText: this.#statusText, headers: this.#headers, body }));
    this.#stream?.close();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown): void {
    this.#fail(failureFrom(error, this.#controller !== undefined));
  }

  #watch(): void {
    this.#limits.signal?.addEventListener('abort', this.#onAbort, { once: true });
    if (this.#limits.timeoutMs === undefined) return;
    this.#timer = setTimeout(() => this.#giveUp('timeout'), this.#limits.timeoutMs);
  }

  #openStream(controller: Dispatcher.DispatchController): void {
    const body = new ReadableStream<Uint8Array>({
      start: (stream) => {
        this.#stream = stream;
      },
      pull: () => controller.resume(),
      cancel: () => this.#giveUp('aborted'),
    });
    this.#settled = true;
    this.#settle(ok({ status: this.#status, statusText: this.#statusText, headers: this.#headers, body }));
  }

  #giveUp(code: 'aborted' | 'timeout'): void {
    const failure = failureOf(code, this.#controller === undefined ? 'no' : 'maybe');
    this.#fail(failure);
    this.#controller?.abort(new EgressError(failure));
  }

  #refuse(controller: Dispatcher.DispatchController, failure: EgressFailure): void {
    this.#fail(failure);
    controller.abort(new EgressError(failure));
  }

  #fail(failure: EgressFailure): void {
    const stream = this.#finished ? undefined : this.#stream;
    this.#end(err(failure));
    try {
      stream?.error(new EgressError(failure));
    } catch {
      // The reader has canceled the stream: no one needs the error.
    }
  }

  #end(outcome: Settled): void {
    if (this.#finished) return;
    this.#finished = true;
    clearTimeout(this.#timer);
    this.#limits.signal?.removeEventListener('abort', this.#onAbort);
    if (!this.#settled) this.#settle(outcome);
    this.#settled = true;
  }
}

function isStreamed(streams: ExchangeLimits['streams'], status: number, headers: AnswerHeaders): boolean {
  if (streams === 'none' || status >= 300) return false;
  if (streams === 'all') return true;
  return String(headers['content-type'] ?? '')
    .toLowerCase()
    .startsWith('text/event-stream');
}
