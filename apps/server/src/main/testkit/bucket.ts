import { createHash } from 'node:crypto';
import { readBody, startServer } from '@switchyard/testing';

/** A service with the API of S3: its objects in the order of their arrival, a list of two objects a page. */
export async function startBucket(keyId: string) {
  const objects: { readonly path: string; readonly body: Buffer }[] = [];
  const server = await startServer(async (request, response) => {
    const body = await readBody(request);
    const { authorization = '', 'x-amz-content-sha256': hash } = request.headers;
    const isSigned =
      authorization.startsWith(`AWS4-HMAC-SHA256 Credential=${keyId}/`) &&
      authorization.includes('SignedHeaders=host;x-amz-content-sha256;x-amz-date,') &&
      hash === createHash('sha256').update(body).digest('hex');
    if (!isSigned)
      return response
        .writeHead(403)
        .end('<Error><Code>SignatureDoesNotMatch</Code><Message>x</Message></Error>');
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const at = objects.findIndex(({ path }) => path === pathname);
    if (request.method === 'PUT') {
      if (at !== -1) objects.splice(at, 1);
      objects.push({ path: request.url ?? '', body });
      return response.writeHead(200).end();
    }
    if (request.method === 'DELETE') {
      if (at !== -1) objects.splice(at, 1);
      return response.writeHead(204).end();
    }
    if (searchParams.get('list-type') === '2')
      return response.writeHead(200).end(listed(pathname, searchParams));
    const found = objects[at]?.body;
    return found === undefined
      ? response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>')
      : response.writeHead(200, { 'content-length': found.length }).end(found);
  });
  function listed(bucket: string, query: URLSearchParams): string {
    const from = Number(query.get('continuation-token') ?? 0);
    const keys = objects
      .map(({ path, body }) => ({
        key: decodeURIComponent(path).slice(bucket.length + 1),
        size: body.length,
      }))
      .filter(({ key }) => key.startsWith(query.get('prefix') ?? ''));
    const rows = keys
      .slice(from, from + 2)
      .map(
        ({ key, size }) =>
          `<Contents><Key>${key}</Key><LastModified>2026-11-21T12:00:00.000Z</LastModified><Size>${size}</Size></Contents>`,
      );
    const next = from + 2 < keys.length ? `<NextContinuationToken>${from + 2}</NextContinuationToken>` : '';
    return `<ListBucketResult>${rows.join('')}${next}</ListBucketResult>`;
  }
  return { objects, ...server };
}
