import { createHash, createHmac } from 'node:crypto';
import { isoOf, type Instant, type Secret } from '@switchyard/values';

/** A key of AWS, or of a service that signs alike. */
export interface AwsKey {
  readonly id: string;
  readonly secret: Secret;
}

interface AwsRequest {
  readonly method: string;
  readonly url: URL;
  /** Names in lower case. All are signed. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hex. */
  readonly bodyHash: string;
}

/**
 * The headers of a request signed with Signature Version 4, those given among them
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). Paths of S3 are encoded once, so the path of
 * `url` is signed as it stands.
 */
export function signedForAws(
  { method, url, headers, bodyHash }: AwsRequest,
  {
    key,
    region,
    service,
    at,
  }: { readonly key: AwsKey; readonly region: string; readonly service: string; readonly at: Instant },
): Readonly<Record<string, string>> {
  const time = isoOf(at).replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const all: Readonly<Record<string, string>> = {
    ...headers,
    host: url.host,
    'x-amz-content-sha256': bodyHash,
    'x-amz-date': time,
  };
  const names = Object.keys(all).sort();
  const canonical = [
    method,
    url.pathname,
    [...url.searchParams]
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .sort()
      .join('&'),
    ...names.map((name) => `${name}:${(all[name] ?? '').trim()}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join(
    '\n',
  );
  const signature = key.secret.useText((secret) =>
    [day, region, service, 'aws4_request', text]
      .reduce<Buffer>(
        (made, part) => createHmac('sha256', made).update(part).digest(),
        Buffer.from(`AWS4${secret}`),
      )
      .toString('hex'),
  );
  const { host: _host, ...sent } = all;
  const credential = `Credential=${key.id}/${scope}`;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 ${credential},SignedHeaders=${names.join(';')},Signature=${signature}`,
  };
}
