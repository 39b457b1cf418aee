import { createHash } from 'node:crypto';
import type { Egress } from '@switchyard/sellers';
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
const putMs = 300_000;

/** Stores an object whole; one with its name is replaced. */
export async function putObject(
  egress: Egress,
  bucket: Bucket,
  { path, body, at }: { readonly path: string; readonly body: Buffer; readonly at: Instant },
): Promise<Result<void, { readonly message: string }>> {
  const steps = [bucket.name, ...path.split('/')].map((step) =>
    encodeURIComponent(step).replace(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    ),
  );
  const url = new URL(`${bucket.endpoint}/${steps.join('/')}`);
  const bodyHash = createHash('sha256').update(body).digest('hex');
  const headers = signedForAws(
    { method: 'PUT', url, headers: {}, bodyHash },
    { key: bucket.key, region: bucket.region, service: 's3', at },
  );
  const sent = await egress.request({
    method: 'PUT',
    url: url.href,
    headers,
    body,
    maxBytes: 100_000,
    timeoutMs: putMs,
  });
  if (!sent.ok) return err({ message: `${bucket.endpoint} cannot be reached: ${sent.error.code}.` });
  const { status, body: answer } = sent.value;
  if (status >= 200 && status < 300) return ok(undefined);
  // The code of S3's error document, and none of its other words.
  const [, code = 'no code'] = /<Code>(\w{1,80})<\/Code>/.exec(answer.toString('utf8')) ?? [];
  return err({ message: `${bucket.endpoint} refused ${path}: ${status}, ${code}.` });
}
