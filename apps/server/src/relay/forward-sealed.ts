import { Buffer } from 'node:buffer';
import { createHash, hash as hashOf } from 'node:crypto';
import { egressCaps, type Egress, type EgressFailure, type SellerLane } from '@switchyard/sellers';
import type { SealedHeaders } from '@switchyard/relay';
import { ok, type Result } from '@switchyard/values';
import type { OwnSecret } from './own-secret.js';

/** The seller's answer while it is still coming. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | ReadableStream<Uint8Array>;
  /** True of a whole answer that holds our own credential: it is not to be passed on. */
  readonly isWithheld?: true;
  /** Resolves when the last byte has come, or the stream broke off, or nobody reads it any more. Never rejects. */
  read(): Promise<ReadBody>;
}

export interface ReadBody {
  readonly hash: string;
  readonly bytes: number;
  readonly complete: boolean;
  /** The whole body; absent where it did not come whole, or holds our own credential. */
  readonly whole?: Buffer;
  /** True of an answer that holds our own credential: nobody is given it, and nothing of it is kept. */
  readonly isWithheld?: true;
}

/** Headers of an answer that are about the answer itself. Sessions, cookies and servers' names are not. */
const passedBack = ['content-type', 'www-authenticate', 'retry-after'];

/**
 * Sends the bytes and the four sealed headers as they came, to the address that they were signed for, with our own
 * credential beside them. An event stream goes back as it comes, and is read on the way; with `readsOn` also after
 * whoever it goes to has left.
 */
export async function forwardSealed(
  egress: Pick<Egress, 'post'>,
  lane: SellerLane,
  sealed: { readonly headers: SealedHeaders; readonly body: Buffer },
  authorization: Readonly<Record<string, string>>,
  {
    signal,
    readsOn,
    own,
  }: { readonly signal: AbortSignal; readonly readsOn: boolean; readonly own: OwnSecret },
): Promise<Result<PassedAnswer, Pick<EgressFailure, 'delivered'>>> {
  const reply = await egress.post({
    url: lane.url,
    headers: { ...lane.headers, ...sealed.headers.forwarded, ...authorization },
    body: sealed.body,
    signal,
  });
  if (!reply.ok) return reply;
  const { status, body } = reply.value;
  const headers: Record<string, string> = {};
  for (const name of passedBack) {
    const value = reply.value.headers[name];
    const text = value === undefined || typeof value === 'string' ? value : value.join(', ');
    if (text !== undefined && !own.isIn(Buffer.from(text))) headers[name] = text;
  }
  if (!Buffer.isBuffer(body)) return ok({ status, headers, ...teed(body, readsOn, own) });
  const isWithheld = own.isIn(body);
  return ok({
    status,
    headers,
    body,
    read: () => Promise.resolve(readWhole(body, isWithheld)),
    ...(isWithheld ? { isWithheld: true as const } : {}),
  });
}

function readWhole(whole: Buffer, isWithheld: boolean): ReadBody {
  const read = { hash: hashOf('sha256', whole, 'hex'), bytes: whole.length, complete: true };
  return isWithheld ? { ...read, isWithheld: true } : { ...read, whole };
}

/** Hands the stream on chunk by chunk, as fast as it is taken, and knows at its end what went by. */
function teed(
  source: ReadableStream<Uint8Array>,
  readsOn: boolean,
  own: OwnSecret,
): Pick<PassedAnswer, 'body' | 'read'> {
  const reader = source.getReader();
  const hash = createHash('sha256');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  let settle: (read: ReadBody) => void = () => undefined;
  const read = new Promise<ReadBody>((resolve) => {
    settle = resolve;
  });
  let isWithheld = false;
  const end = (complete: boolean): void => {
    const whole =
      complete && !isWithheld && bytes <= egressCaps.taskAnswer ? { whole: Buffer.concat(chunks) } : {};
    const withheld = isWithheld ? { isWithheld: true as const } : {};
    settle({ hash: hash.digest('hex'), bytes, complete, ...whole, ...withheld });
  };
  /** The next chunk, noted; `undefined` at the end. Rejects where the seller broke off. */
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    hash.update(value);
    bytes += value.length;
    if (bytes <= egressCaps.taskAnswer) chunks.push(value);
    isWithheld ||= own.isIn(value);
    return value;
  };
  // Nobody takes chunks any more: one that was under way then is read like all after it.
  let isLeft = false;
  const body = new ReadableStream<Uint8Array>({
    pull: async (stream) => {
      try {
        const chunk = await next();
        if (isLeft) return;
        if (chunk === undefined) {
          end(true);
          stream.close();
        } else if (isWithheld) {
          end(false);
          void reader.cancel().catch(() => undefined);
          stream.error(new Error('The answer holds our own credential.'));
        } else stream.enqueue(chunk);
      } catch {
        if (isLeft) return;
        end(false);
        stream.error(new Error('The seller broke off.'));
      }
    },
    cancel: async () => {
      isLeft = true;
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
  return { body, read: () => read };
}
