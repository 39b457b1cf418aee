import { plainRequest } from '@switchyard/testing';
import type { Send } from './call-task.js';
import type { Named } from './task-requests.js';

/** An answer as it was sent. */
export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

/** Sends a request with its caller's token, and a body as JSON. */
export async function send(to: Send, method: string, path: string, body?: unknown): Promise<HttpAnswer> {
  const { status, text } = await plainRequest(to.url + path, {
    method,
    headers: {
      'content-type': 'application/json',
      ...(to.token === undefined ? {} : { authorization: `Bearer ${to.token}` }),
      ...to.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status, text };
}

/** Returns an answer without the parts that differ between any two answers: sent names, fresh ids and times. */
export function bare(text: string, named: Named): string {
  const { cursors, ...texts } = named;
  const names = [...Object.entries(texts), ...Object.entries(cursors)] as [string, string][];
  return names
    .sort((one, other) => other[1].length - one[1].length)
    .reduce((left, [member, value]) => left.replaceAll(value, `<${member}>`), text)
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/(?:op|task|new)[_-][A-Za-z0-9_<>-]+/g, '<id>')
    .replaceAll(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, '<time>')
    .replaceAll(/(lines with|\[begin|\[end) [\w-]+/g, '$1 <mark>')
    .replaceAll(/"elapsed_ms":\d+/g, '"elapsed_ms":0');
}
