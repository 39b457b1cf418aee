import type { SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import { ExportResultCode } from '@opentelemetry/core';

type Ended = Parameters<SpanProcessor['onEnd']>[0];

/** Spans that wait, spans of one request to the collector, and milliseconds between two requests. */
const most = 4_096;
const batch = 512;
const everyMs = 1_000;

/**
 * Sends ended spans to a collector in the background. A collector that is slow or dead costs a bounded amount of memory
 * and no time of a request: spans that find no place, or that it did not take, are dropped and counted.
 */
export class SpanQueue implements SpanProcessor {
  #waiting: Ended[] = [];
  #sending: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly exporter: SpanExporter,
    private readonly onDropped: (spans: number) => void,
  ) {}

  onStart(): void {
    // Only ended spans are sent.
  }

  onEnd(span: Ended): void {
    // Bit 1 of the flags: the span was sampled.
    if ((span.spanContext().traceFlags & 1) === 0) return;
    if (this.#waiting.length >= most) {
      this.onDropped(1);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= batch) this.#send();
    else this.#timer ??= setTimeout(() => this.#send(), everyMs).unref();
  }

  async forceFlush(): Promise<void> {
    while (this.#waiting.length > 0 || this.#sending !== undefined) {
      this.#send();
      await this.#sending;
    }
  }

  async shutdown(): Promise<void> {
    await this.forceFlush();
    await this.exporter.shutdown();
  }

  #send(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#sending !== undefined || this.#waiting.length === 0) return;
    const spans = this.#waiting.slice(0, batch);
    this.#waiting = this.#waiting.slice(batch);
    this.#sending = new Promise<void>((resolve) => {
      this.exporter.export(spans, ({ code }) => {
        if (code !== ExportResultCode.SUCCESS) this.onDropped(spans.length);
        resolve();
      });
    }).then(() => {
      this.#sending = undefined;
      if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#send(), everyMs).unref();
    });
  }
}
