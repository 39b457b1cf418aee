import { err, nextTurn, ok, type Result } from '@switchyard/values';

/** A server that sends faster than its events are read would otherwise block the event loop. */
const sliceBytes = 64 * 1024;

/** Events of one answer that are read, of whatever kind. */
export const mostEvents = 10_000;
/** Events after which others get a turn, also when they are short. */
const sliceEvents = 256;

type EventStreamFailure = 'too_large' | 'ended';

/**
 * Reads a server-sent event stream until `accept` takes the data of an event, then cancels the rest. Events of other
 * kinds and those that `accept` refuses are skipped. Rejects if the stream fails.
 */
export async function readEventStream<Taken>(
  stream: ReadableStream<Uint8Array>,
  maxBytes: number,
  accept: (data: string) => Promise<Taken | undefined>,
): Promise<Result<Taken, EventStreamFailure>> {
  const reader = stream.getReader();
  const lines = new LineSplitter();
  let seen = 0;
  let rested = 0;
  let events = 0;
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return err('ended');
      seen += value.byteLength;
      if (seen > maxBytes) return err('too_large');
      if (seen - rested > sliceBytes) {
        rested = seen;
        await nextTurn();
      }
      for (const line of lines.push(value)) {
        if (line !== '') {
          if (line.startsWith('data:')) data.push(line.slice(line.startsWith('data: ') ? 6 : 5));
          continue;
        }
        if (data.length === 0) continue;
        events += 1;
        if (events > mostEvents) return err('too_large');
        if (events % sliceEvents === 0) await nextTurn();
        const taken = await accept(data.join('\n'));
        if (taken !== undefined) return ok(taken);
        data = [];
      }
    }
  } finally {
    // The answer has been read, or will never come: a failed cancel changes nothing.
    reader.cancel().catch(() => undefined);
  }
}

/** Splits at LF, CR LF and CR, across chunks and across characters. Searches new text only. */
class LineSplitter {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #endedInCr = false;

  push(chunk: Uint8Array): string[] {
    let text = this.#decoder.decode(chunk, { stream: true });
    // The CR at the end of the last chunk already ended its line: this LF belongs to it.
    if (this.#endedInCr && text.startsWith('\n')) text = text.slice(1);
    if (text !== '') this.#endedInCr = text.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    const last = others.pop();
    if (last === undefined) {
      this.#rest += first;
      return [];
    }
    const lines = [this.#rest + first, ...others];
    this.#rest = last;
    return lines;
  }
}
