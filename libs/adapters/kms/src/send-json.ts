import { Buffer } from 'node:buffer';
import { request as sendHttp } from 'node:http';
import { request as sendHttps } from 'node:https';
import { isJsonObject, parseStrictJson, type JsonObject, type JsonValue } from '@switchyard/values';

/** The answer of a key service; `status` 0: none arrived. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: JsonObject;
}

export interface JsonRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, other parameters as a form. */
  readonly body?: JsonObject | URLSearchParams;
}

/** Milliseconds. A key service that does not answer must not block a buyer's request. */
const timeoutMs = 5_000;
const mostBytes = 256 * 1024;

/**
 * One request to a key service. It does not go through the egress guard, like the AWS SDK: its target comes from the
 * operator's configuration, never from a tenant. It follows no redirect and never throws.
 */
export function sendJson({ method, url, headers = {}, body }: JsonRequest): Promise<JsonAnswer> {
  const nothing: JsonAnswer = { status: 0, body: {} };
  const isForm = body instanceof URLSearchParams;
  const bytes = body === undefined ? undefined : Buffer.from(isForm ? String(body) : JSON.stringify(body));
  const contentType = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  return new Promise((resolve) => {
    const send = url.startsWith('https:') ? sendHttps : sendHttp;
    const request = send(
      url,
      {
        method,
        signal: AbortSignal.timeout(timeoutMs),
        headers: {
          accept: 'application/json',
          ...(bytes && { 'content-type': contentType, 'content-length': bytes.length }),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > mostBytes) request.destroy();
          else chunks.push(chunk);
        });
        response.on('end', () => {
          const parsed = parseStrictJson(Buffer.concat(chunks));
          const read = parsed.ok && isJsonObject(parsed.value.value) ? parsed.value.value : {};
          bytes?.fill(0);
          resolve({ status: response.statusCode ?? 0, body: read });
        });
        response.on('error', () => resolve(nothing));
        response.on('close', () => resolve(nothing));
      },
    );
    request.on('error', () => resolve(nothing));
    request.end(bytes);
  });
}

/** Plain http only within the machine. */
export function isSafeAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return (
    protocol === 'https:' ||
    (protocol === 'http:' && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname))
  );
}

/** The text of a member, or of one inside an object of the answer. */
export function textIn(body: JsonObject, ...path: readonly string[]): string {
  let at: JsonValue | undefined = body;
  for (const name of path) at = isJsonObject(at) ? at[name] : undefined;
  return typeof at === 'string' ? at : '';
}

/** The bytes of canonical base64; undefined for any other text, so that no two texts are the same bytes. */
export function base64Bytes(text: string, encoding: 'base64' | 'base64url' = 'base64'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.length > 0 && bytes.toString(encoding) === text ? bytes : undefined;
}
