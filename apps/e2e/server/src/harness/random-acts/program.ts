import { createHash, randomBytes } from 'node:crypto';

const callback = 'http://127.0.0.1:7749/callback';

/** A browser in which a person answers the pages by their forms: cookies by path, no redirect followed by itself. */
class Browser {
  readonly #jar = new Map<string, { readonly path: string; readonly pair: string }>();

  constructor(readonly origin: string) {}

  async open(address: string | URL, form?: URLSearchParams): Promise<Response> {
    const url = new URL(address, this.origin);
    const sent = [...this.#jar.values()].filter(({ path }) => url.pathname.startsWith(path));
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: sent.map(({ pair }) => pair).join('; '),
        ...(form && { origin: this.origin, 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { method: 'POST', body: form.toString() }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...terms] = line.split('; ');
      const path = terms.find((term) => /^path=/i.test(term))?.slice(5) ?? '/';
      this.#jar.set(`${pair.split('=')[0] ?? ''} ${path}`, { path, pair });
    }
    return answer;
  }

  /** Follows redirects until a page, or until the first address elsewhere. */
  async follow(address: string | URL): Promise<{ readonly url: URL; readonly page?: Response }> {
    let url = new URL(address, this.origin);
    for (let hop = 0; hop < 12; hop += 1) {
      if (url.origin !== this.origin) return { url };
      const page = await this.open(url);
      const to = page.headers.get('location');
      if (to === null) return { url, page };
      url = new URL(to, url);
    }
    throw new Error('There are too many redirects.');
  }
}

export interface Consented {
  readonly token: string;
  /** The scopes of its token. */
  readonly scope: string;
}

/**
 * Registers a program and has a person let it act for him: `given` are the fields of the consent page beside the
 * answer, for example a spending limit. Returns undefined where the person is not let to the page, or it is refused.
 */
export async function consentTo(
  origin: string,
  personsToken: string,
  scope: string,
  given: Readonly<Record<string, string>>,
): Promise<Consented | undefined> {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'A program', redirect_uris: [callback] }),
  });
  const { client_id: client } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const address = new URL('/oauth/authorize', origin);
  address.search = new URLSearchParams({
    client_id: client,
    response_type: 'code',
    redirect_uri: callback,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    state: 'a state',
    scope,
    resource: `${origin}/v1`,
  }).toString();
  const browser = new Browser(origin);
  await browser.open('/sign-in', new URLSearchParams({ secret: personsToken, return_to: '/docs' }));
  const page = await browser.follow(address);
  if (!page.url.pathname.startsWith('/oauth/interaction/')) return undefined;
  const fields = new URLSearchParams({ answer: 'allow', ...given });
  // Every scope that the program asked for, as the page offers them.
  for (const [, name = ''] of ((await page.page?.text()) ?? '').matchAll(/name="?scope"? value="?([a-z:]+)/g))
    fields.append('scope', name);
  const posted = await browser.open(page.url, fields);
  const to = posted.headers.get('location');
  if (to === null) return undefined;
  const { url } = await browser.follow(to);
  const answer = await fetch(`${origin}/oauth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client,
      code: url.searchParams.get('code') ?? '',
      code_verifier: verifier,
      redirect_uri: callback,
    }).toString(),
  });
  if (!answer.ok) return undefined;
  const held = (await answer.json()) as { access_token: string; scope?: string };
  return { token: held.access_token, scope: held.scope ?? scope };
}
