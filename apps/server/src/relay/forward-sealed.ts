import { Buffer } from 'node:buffer';
import { createHash, hash as hashOf } from 'node:crypto';
import {
  egressCaps,
  type ClientCertificate,
  type Egress,
  type EgressFailure,
  type SellerLane,
} from '@switchyard/sellers';
import type { SealedHeaders } from '@switchyard/relay';
import { ok, type Result } from '@switchyard/values';
import type { CredentialSearch } from './credential-search.js';

/** The seller's answer while it is still being received. */
export interface PassedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | ReadableStream<Uint8Array>;
  /** True for a whole answer that contains our own credential: it must not be forwarded. */
  readonly isWithheld?: true;
  /** Resolves at the last byte, when the stream breaks off, or when its reader has left. Never rejects. */
  read(): Promise<ReadBody>;
}

export interface ReadBody {
  readonly hash: string;
  readonly bytes: number;
  readonly complete: boolean;
  /** The whole body; absent if it is incomplete or contains our own credential. */
  readonly whole?: Buffer;
  /** True for an answer that contains our own credential: it is neither forwarded nor stored. */
  readonly isWithheld?: true;
}

/** Forwarded answer headers: those about the answer itself, without sessions, cookies and server names. */
const passedBack = ['content-type', 'www-authenticate', 'retry-after'];

/**
 * Sends the bytes and the four sealed headers unchanged to the address that they were signed for, with our own
 * credential. An event stream is passed back as it arrives, and read on the way; with `readsOn` it is read to its end
 * even if the caller leaves.
 */
export async function forwardSealed(
  egress: Pick<Egress, 'post'>,
  lane: SellerLane,
  {
    sealed,
    authorization,
    certificate,
  }: {
    readonly sealed: { readonly headers: SealedHeaders; readonly body: Buffer };
    readonly authorization: Readonly<Record<string, string>>;
    readonly certificate?: ClientCertificate;
  },
  {
    signal,
    readsOn,
    own,
  }: { readonly signal: AbortSignal; readonly readsOn: boolean; readonly own: CredentialSearch },
): Promise<Result<PassedAnswer, Pick<EgressFailure, 'delivered'>>> {
  const reply = await egress.post({
    url: lane.url,
    headers: { ...lane.headers, ...sealed.headers.forwarded, ...authorization },
    body: sealed.body,
    ...(certificate && { certificate }),
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
  if (!Buffer.isBuffer(body)) return ok({ status, headers, ...streamed(body, readsOn, own) });
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

/** Forwards the stream chunk by chunk, as fast as it is read, and reports at its end what was forwarded. */
function streamed(
  source: ReadableStream<Uint8Array>,
  readsOn: boolean,
  own: CredentialSearch,
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
  /** The next chunk, recorded; `undefined` at the end. Rejects if the seller closed the connection early. */
  const next = async (): Promise<Uint8Array | undefined> => {
    const { done, value } = await reader.read();
    if (done) return undefined;
    hash.update(value);
    bytes += value.length;
    if (bytes <= egressCaps.taskAnswer) chunks.push(value);
    isWithheld ||= own.isIn(value);
    return value;
  };
  // True once the caller has left: a chunk that was in progress then is read like all later ones.
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
          stream.error(new Error('The answer contains our own credential.'));
        } else stream.enqueue(chunk);
      } catch {
        if (isLeft) return;
        end(false);
        stream.error(new Error('The seller closed the connection early.'));
      }
    },
    cancel: async () => {
      isLeft = true;
      let complete = false;
      try {
        while (readsOn && (await next()) !== undefined);
        complete = readsOn;
      } catch {
        // The seller also closed the connection early.
      }
      end(complete);
      await reader.cancel().catch(() => undefined);
    },
  });
  return { body, read: () => read };
}
