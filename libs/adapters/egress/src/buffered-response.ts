import type { Buffer } from 'node:buffer';
import type { Answer, AnswerHeaders } from './exchange.js';

/** The reading part of `Headers`, over the object that the HTTP parser made. */
class AnswerHeaderView {
  readonly #headers: AnswerHeaders;

  constructor(headers: AnswerHeaders) {
    this.#headers = headers;
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()];
    if (value === undefined) return null;
    return typeof value === 'string' ? value : value.join(', ');
  }

  has(name: string): boolean {
    return this.#headers[name.toLowerCase()] !== undefined;
  }

  getSetCookie(): string[] {
    const value = this.#headers['set-cookie'];
    if (value === undefined) return [];
    return typeof value === 'string' ? [value] : [...value];
  }

  forEach(callback: (value: string, name: string) => void): void {
    for (const [name, value] of this) callback(value, name);
  }

  *entries(): IterableIterator<[string, string]> {
    for (const name of Object.keys(this.#headers)) {
      const value = this.get(name);
      if (value !== null) yield [name, value];
    }
  }

  *keys(): IterableIterator<string> {
    for (const [name] of this.entries()) yield name;
  }

  *values(): IterableIterator<string> {
    for (const [, value] of this.entries()) yield value;
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.entries();
  }
}

/**
 * A buffered answer with the interface of `Response`, made without its streams and copies. It can be read any number of
 * times.
 */
export class BufferedResponse {
  readonly type = 'default';
  readonly redirected = false;
  readonly bodyUsed = false;
  readonly status: number;
  readonly statusText: string;
  readonly headers: AnswerHeaderView;
  readonly url: string;
  readonly #body: Buffer;
  #stream: ReadableStream<Uint8Array> | undefined;

  constructor(answer: Answer, url: string) {
    this.status = answer.status;
    this.statusText = answer.statusText;
    this.headers = new AnswerHeaderView(answer.headers);
    this.url = url;
    this.#body = answer.body;
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> | null {
    if (this.#body.length === 0) return null;
    this.#stream ??= new ReadableStream<Uint8Array>({
      start: (stream) => {
        stream.enqueue(this.#body);
        stream.close();
      },
    });
    return this.#stream;
  }

  text(): Promise<string> {
    return Promise.resolve(this.#body.toString('utf8'));
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text()) as unknown;
  }

  bytes(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#body));
  }

  arrayBuffer(): Promise<ArrayBuffer> {
    return Promise.resolve(new Uint8Array(this.#body).buffer);
  }

  async blob(): Promise<Blob> {
    return new Blob([await this.arrayBuffer()], { type: this.headers.get('content-type') ?? '' });
  }

  clone(): this {
    return this;
  }
}
