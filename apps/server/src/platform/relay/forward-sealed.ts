import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { egressCaps, type Egress, type SellerLane } from '@switchyard/sellers';
import type { SealedHeaders } from '@switchyard/relay';
import { err, ok, type Result } from '@switchyard/values';

/** The seller's answer while it is still coming. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | ReadableStream<Uint8Array>;
  /** Resolves when the last byte has come, or the stream broke off, or nobody reads it any more. Never rejects. */
  readonly read: Promise<ReadBody>;
}

export interface ReadBody {
  readonly hash: string;
  readonly bytes: number;
  readonly complete: boolean;
  /** The whole body; absent where it did not come whole. */
  readonly whole?: Buffer;
}

/** Headers of an answer that are about the answer itself. Sessions, cookies and servers' names are not. */
const passedBack = ['content-type', 'www-authenticate', 'retry-after'];

/**
 * Sends the bytes and the four sealed headers as they came, to the address that they were signed for, with our own
 * credential beside them. An event stream goes back as it comes, and is read on the way; with `readsOn` also after
 * whoever it goes to has left.
 */
export async function forwardSealed(
  egress: Pick<Egress, 'fetchLike'>,
  lane: SellerLane,
  sealed: { readonly headers: SealedHeaders; readonly body: Buffer },
  authorization: Readonly<Record<string, string>>,
  { signal, readsOn }: { readonly signal: AbortSignal; readonly readsOn: boolean },
): Promise<Result<PassedAnswer, { readonly delivered: 'no' | 'maybe' }>> {
  try {
    const response = await egress.fetchLike(lane.url, {
      method: 'POST',
      headers: { ...lane.headers, ...sealed.headers.forwarded, ...authorization },
      body: sealed.body,
      redirect: 'manual',
      signal,
    });
    const headers = Object.fromEntries(
      passedBack.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value]];
      }),
    );
    const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '') && response.body !== null;
    if (!isStream)
      return ok(wholeAnswer(response.status, headers, Buffer.from(await response.arrayBuffer())));
    return ok({
      status: response.status,
      headers,
      ...teed(response.body as ReadableStream<Uint8Array>, readsOn),
    });
  } catch (error) {
    return err({ delivered: wasDelivered(error) });
  }
}

function wholeAnswer(status: number, headers: Readonly<Record<string, string>>, body: Buffer): PassedAnswer {
  const hash = createHash('sha256').update(body).digest('hex');
  return {
    status,
    headers,
    body,
    read: Promise.resolve({ hash, bytes: body.length, complete: true, whole: body }),
  };
}

/** Hands the stream on chunk by chunk, as fast as it is taken, and knows at its end what went by. */
function teed(source: ReadableStream<Uint8Array>, readsOn: boolean): Pick<PassedAnswer, 'body' | 'read'> {
  const reader = source.getReader();
  const hash = createHash('sha256');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let settle: (read: ReadBody) => void = () => undefined;
  const read = new Promise<ReadBody>((resolve) => {
    settle = resolve;
  });
  const end = (complete: boolean): void => {
    const whole = complete && bytes <= egressCaps.taskAnswer ? { whole: Buffer.concat(chunks) } : {};
    settle({ hash: hash.digest('hex'), bytes, complete, ...whole });
  };
  /** The next chunk, noted; `undefined` at the end. Rejects where the seller broke off. */
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    hash.update(value);
    bytes += value.length;
    if (bytes <= egressCaps.taskAnswer) chunks.push(value);
    return value;
  };
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      try {
        const chunk = await next();
        if (chunk === undefined) {
          end(true);
          stream.close();
        } else stream.enqueue(chunk);
      } catch {
        end(false);
        stream.error(new Error('The seller broke off.'));
      }
    },
    cancel: async () => {
      let complete = false;
      try {
        while (readsOn && (await next()) !== undefined);
        complete = readsOn;
      } catch {
        // The seller broke off as well.
      }
      end(complete);
      await reader.cancel().catch(() => undefined);
    },
  });
  return { body, read };
}

function wasDelivered(error: unknown): 'no' | 'maybe' {
  return (error as { readonly delivered?: unknown } | undefined)?.delivered === 'no' ? 'no' : 'maybe';
}
