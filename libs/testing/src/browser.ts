import type { JsonObject } from '@switchyard/values';

/** A minimal browser for the console and the pages without scripts: it stores one cookie and follows no redirects. */
export interface SpecBrowser {
  send(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ readonly status: number; readonly body: JsonObject }>;
  form(path: string, fields: Readonly<Record<string, string>>): Promise<Response>;
  open(address: string): Promise<Response>;
}

export function createBrowser(url: string): SpecBrowser {
  const jar = new Map<string, string>();
  const request = async (address: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization') && jar.size > 0)
      headers.set('cookie', [...jar].map(([name, value]) => `${name}=${value}`).join('; '));
    const answer = await fetch(new URL(address, url), { ...init, headers, redirect: 'manual' });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const at = pair.indexOf('=');
      if (/Max-Age=0\b/.test(cookie)) jar.delete(pair.slice(0, at));
      else jar.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  };
  return {
    send: async (method, path, body, headers = {}) => {
      const answer = await request(path, {
        method,
        headers: {
          'x-switchyard-console': '1',
          ...(body && { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body && { body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: (await answer.json()) as JsonObject };
    },
    form: (path, fields) =>
      request(path, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      }),
    open: (address) => request(address, { method: 'GET' }),
  };
}
