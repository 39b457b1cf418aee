import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Egress, EgressFailure, EgressRequest } from '@switchyard/sellers';
import { err, ok, type Instant, type Result } from '@switchyard/values';
import { signedForAws, type AwsKey } from './sign-aws.js';

/** A bucket of S3, or of a service with its API, addressed by paths. */
export interface Bucket {
  /** Without a slash at its end. */
  readonly endpoint: string;
  readonly region: string;
  readonly name: string;
  readonly key: AwsKey;
}

/** How long one file may take, in milliseconds. */
const objectMs = 300_000;
/** The largest answer about objects, and of an object that is read, in bytes. */
const mostAbout = 2_000_000;
const mostObject = 64 * 1024 * 1024;
/** Pages of a list of objects, of a thousand each. */
const mostPages = 20;

type Answered<Value> = Promise<Result<Value, { readonly message: string }>>;

interface Asked {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly maxBytes: number;
  readonly at: Instant;
}

const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

/** A request for the bucket, with its signature. */
function signed(bucket: Bucket, { method, path, query = {}, body, maxBytes, at }: Asked): EgressRequest {
  const steps = [bucket.name, ...path.split('/')].filter((step) => step !== '').map(encoded);
  const url = new URL(`${bucket.endpoint}/${steps.join('/')}`);
  // Not by `URLSearchParams`, which writes a space as "+": the signature is over %20.
  url.search = Object.entries(query)
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .join('&');
  const bodyHash = createHash('sha256')
    .update(body ?? Buffer.alloc(0))
    .digest('hex');
  const headers = signedForAws(
    { method, url, headers: {}, bodyHash },
    { key: bucket.key, region: bucket.region, service: 's3', at },
  );
  return {
    method,
    url: url.href,
    headers,
    ...(body !== undefined && { body }),
    maxBytes,
    timeoutMs: objectMs,
  };
}

async function asked(
  egress: Egress,
  bucket: Bucket,
  request: Asked,
): Answered<{ readonly status: number; readonly body: Buffer }> {
  const sent = await egress.request(signed(bucket, request));
  return sent.ok ? ok(sent.value) : unreached(bucket, sent.error);
}

const unreached = (bucket: Bucket, { code }: EgressFailure) =>
  err({ message: `${bucket.endpoint} cannot be reached: ${code}.` });

const isDone = (status: number): boolean => status >= 200 && status < 300;

/** The code of S3's error document, and none of its other words. */
function refused(bucket: Bucket, path: string, status: number, answer: Buffer) {
  const [, code = 'no code'] = /<Code>(\w{1,80})<\/Code>/.exec(answer.toString('utf8')) ?? [];
  return err({ message: `${bucket.endpoint} refused ${path}: ${status}, ${code}.` });
}

/** Stores an object whole; one with its name is replaced. */
export async function putObject(
  egress: Egress,
  bucket: Bucket,
  { path, body, at }: { readonly path: string; readonly body: Buffer; readonly at: Instant },
): Answered<void> {
  const sent = await asked(egress, bucket, { method: 'PUT', path, body, maxBytes: 100_000, at });
  if (!sent.ok) return sent;
  const { status, body: answer } = sent.value;
  return isDone(status) ? ok(undefined) : refused(bucket, path, status, answer);
}

/** The bytes of an object of up to 64 MB; undefined where there is none. */
export async function getObject(
  egress: Egress,
  bucket: Bucket,
  { path, at }: { readonly path: string; readonly at: Instant },
): Answered<Buffer | undefined> {
  const sent = await asked(egress, bucket, { method: 'GET', path, maxBytes: mostObject, at });
  if (!sent.ok) return sent;
  const { status, body } = sent.value;
  if (status === 404) return ok(undefined);
  return isDone(status) ? ok(body) : refused(bucket, path, status, body);
}

/** The same while it arrives, whatever its size, up to 64 MB. Whoever gets it reads or destroys `content`. */
export async function openObject(
  egress: Egress,
  bucket: Bucket,
  { path, at }: { readonly path: string; readonly at: Instant },
): Answered<{ readonly content: Readable; readonly bytes: number } | undefined> {
  const sent = await egress.open(signed(bucket, { method: 'GET', path, maxBytes: mostObject, at }));
  if (!sent.ok) return unreached(bucket, sent.error);
  const { status, headers, body } = sent.value;
  if (status === 404) return ok(undefined);
  if (Buffer.isBuffer(body)) return refused(bucket, path, status, body);
  const bytes = Number(headers['content-length']);
  if (!Number.isSafeInteger(bytes)) {
    await body.cancel();
    return err({ message: `${bucket.endpoint} does not say how long ${path} is.` });
  }
  return ok({ content: Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]), bytes });
}

/** Removes an object; one that is not there is no fault. */
export async function removeObject(
  egress: Egress,
  bucket: Bucket,
  { path, at }: { readonly path: string; readonly at: Instant },
): Answered<void> {
  const sent = await asked(egress, bucket, { method: 'DELETE', path, maxBytes: 100_000, at });
  if (!sent.ok) return sent;
  const { status, body } = sent.value;
  return isDone(status) || status === 404 ? ok(undefined) : refused(bucket, path, status, body);
}

/** An object of a list. */
export interface ListedObject {
  readonly path: string;
  readonly bytes: number;
  readonly storedAt: Instant;
}

/**
 * The objects whose paths begin so, 20,000 at most (https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html).
 */
export async function listObjects(
  egress: Egress,
  bucket: Bucket,
  { prefix, at }: { readonly prefix: string; readonly at: Instant },
): Answered<readonly ListedObject[]> {
  const found: ListedObject[] = [];
  let token: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const query = {
      ...(token !== undefined && { 'continuation-token': token }),
      'list-type': '2',
      prefix,
    };
    const sent = await asked(egress, bucket, { method: 'GET', path: '', query, maxBytes: mostAbout, at });
    if (!sent.ok) return sent;
    const { status, body } = sent.value;
    if (!isDone(status)) return refused(bucket, prefix, status, body);
    const text = body.toString('utf8');
    for (const [, contents = ''] of text.matchAll(/<Contents>([\s\S]*?)<\/Contents>/g)) {
      const path = valueIn(contents, 'Key');
      const storedAt = Date.parse(valueIn(contents, 'LastModified'));
      if (path !== '' && !Number.isNaN(storedAt))
        found.push({ path, bytes: Number(valueIn(contents, 'Size')), storedAt });
    }
    token = valueIn(text, 'NextContinuationToken');
    if (token === '') break;
  }
  return ok(found);
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const valueIn = (xml: string, name: string): string =>
  (new RegExp(`<${name}>([^<]{0,2048})</${name}>`).exec(xml)?.[1] ?? '').replaceAll(
    /&(amp|lt|gt|quot|apos);/g,
    (_whole, entity: string) => entities[entity] ?? '',
  );
