import { createHash, randomBytes } from 'node:crypto';

/** Where a program of the suites takes its answers. Nobody listens there. */
export const callback = 'http://127.0.0.1:7749/callback';

/** A browser that a person works with by its forms: cookies by path, no redirect followed by itself. */
export class FormBrowser {
  constructor(private readonly home: string) {}

  readonly #jar = new Map<string, { readonly path: string; readonly pair: string }>();

  async open(address: string | URL, form?: Record<string, string> | URLSearchParams): Promise<Response> {
    const url = new URL(address, this.home);
    const sent = [...this.#jar.values()].filter(({ path }) => url.pathname.startsWith(path));
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: {
        cookie: sent.map(({ pair }) => pair).join('; '),
        ...(form && { origin: this.home, 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form && { method: 'POST', body: new URLSearchParams(form).toString() }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...terms] = line.split('; ');
      const path = terms.find((term) => /^path=/i.test(term))?.slice(5) ?? '/';
      this.#jar.set(`${pair.split('=')[0]} ${path}`, { path, pair });
    }
    return answer;
  }

  /** Follows redirects from an address of ours until a page, or until the first address that is not ours. */
  async follow(address: string | URL): Promise<{ readonly url: URL; readonly page?: Response }> {
    let url = new URL(address, this.home);
    for (let hop = 0; hop < 12; hop += 1) {
      if (url.origin !== this.home) return { url };
      const page = await this.open(url);
      const to = page.headers.get('location');
      if (to === null) return { url, page };
      url = new URL(to, url);
    }
    throw new Error('There are too many redirects.');
  }

  async signIn(token: string, next = '/docs'): Promise<void> {
    const answer = await this.open('/sign-in', { secret: token, return_to: next });
    if (answer.status !== 303) throw new Error(`The sign-in page answered ${answer.status}.`);
  }

  /** The page of consent of an address, for a person who signs in if the address asks for that. */
  async consentPage(
    address: string | URL,
    token: string,
  ): Promise<{ readonly url: URL; readonly page?: Response }> {
    let at = await this.follow(address);
    if (at.url.pathname === '/sign-in') {
      const next = at.url.searchParams.get('return_to') ?? '';
      await this.signIn(token, next);
      at = await this.follow(next);
    }
    return at;
  }

  /**
   * Where an address leads a person who answers every page. The form is sent as the page shows it; `fill` changes it
   * before.
   */
  async consent(
    address: string | URL,
    token: string,
    answer = 'allow',
    fill: (form: URLSearchParams) => void = () => undefined,
  ): Promise<URL> {
    const at = await this.consentPage(address, token);
    if (!at.url.pathname.startsWith('/oauth/interaction/')) return at.url;
    const form = shownForm((await at.page?.text()) ?? '');
    fill(form);
    form.set('answer', answer);
    const posted = await this.open(at.url, form);
    return (await this.follow(posted.headers.get('location') ?? '')).url;
  }
}

/** The fields of a page's form as a browser would send them untouched. */
export function shownForm(html: string): URLSearchParams {
  const form = new URLSearchParams();
  for (const [, attributes = ''] of html.matchAll(/<input ([^>]*)>/g)) {
    const value = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    if (value('type') !== 'checkbox' || attributes.includes(' checked'))
      form.append(value('name'), value('value'));
  }
  for (const [, name = '', options = ''] of html.matchAll(/<select name="([^"]*)">(.*?)<\/select>/g))
    form.set(name, /<option value="([^"]*)" selected>/.exec(options)?.[1] ?? '');
  return form;
}

/** A random verifier (RFC 7636). */
export const newVerifier = (): string => randomBytes(32).toString('base64url');

/** A code, and what its program needs to exchange it. */
export interface Authorization {
  readonly client: string;
  readonly verifier: string;
  readonly code: string;
}

/** What a suite of programs does over and over, at one installation. */
export function oauthKit({
  url: home,
  admin,
}: {
  readonly url: string;
  /** Headers with the credential of an admin. */
  readonly admin: Readonly<Record<string, string>>;
}) {
  let people = 0;

  /** A person with an API token, as an admin makes one. */
  async function person(
    permissions?: object,
  ): Promise<{ readonly name: string; readonly token: string; readonly tokenId: string }> {
    people += 1;
    const name = `Ada ${people}`;
    const made = await call(
      'POST',
      '/v1/principals',
      { name, kind: 'person', ...(permissions && { permissions }) },
      admin,
    );
    if (made.status !== 200) throw new Error(`The person was answered ${made.status}.`);
    const minted = await call('POST', `/v1/principals/${encodeURIComponent(name)}/tokens`, {}, admin);
    const { token, token_id: tokenId } = (await minted.json()) as { token: string; token_id: string };
    return { name, token, tokenId };
  }

  function call(
    method: string,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(home + path, {
      method,
      headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  }

  const register = (metadata: object): Promise<Response> =>
    call('POST', '/oauth/register', { client_name: 'A program', redirect_uris: [callback], ...metadata });

  async function clientId(metadata: object = {}): Promise<string> {
    const registered = await register(metadata);
    if (registered.status !== 201) throw new Error(`The registration was answered ${registered.status}.`);
    return ((await registered.json()) as { client_id: string }).client_id;
  }

  function authorization(client: string, verifier: string, more: Record<string, string> = {}): URL {
    const url = new URL('/oauth/authorize', home);
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    url.search = new URLSearchParams({
      client_id: client,
      response_type: 'code',
      redirect_uri: callback,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      state: 'a state',
      scope: 'read',
      resource: `${home}/v1`,
      ...more,
    }).toString();
    return url;
  }

  /** A code that a person has let a new program have. */
  async function requestCode(
    token: string,
    more: Record<string, string> = {},
    { fill, client: known }: { fill?: (form: URLSearchParams) => void; client?: string } = {},
  ): Promise<Authorization> {
    const client = known ?? (await clientId());
    const verifier = newVerifier();
    const to = await newBrowser().consent(authorization(client, verifier, more), token, 'allow', fill);
    return { client, verifier, code: to.searchParams.get('code') ?? '' };
  }

  const exchange = (form: Record<string, string>, at = home): Promise<Response> =>
    fetch(`${at}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });

  const redeem = ({ client, verifier, code }: Authorization): Promise<Response> =>
    exchange({
      grant_type: 'authorization_code',
      client_id: client,
      code,
      code_verifier: verifier,
      redirect_uri: callback,
    });

  const refresh = (client: string, token: string, at = home): Promise<Response> =>
    exchange({ grant_type: 'refresh_token', client_id: client, refresh_token: token }, at);

  async function tokensOf(
    requested: Authorization,
  ): Promise<{ readonly access_token: string; readonly refresh_token: string }> {
    const answer = await redeem(requested);
    if (answer.status !== 200)
      throw new Error(`The exchange was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { access_token: string; refresh_token: string };
  }

  const newBrowser = (): FormBrowser => new FormBrowser(home);

  return {
    person,
    call,
    register,
    clientId,
    authorization,
    requestCode,
    exchange,
    redeem,
    refresh,
    tokensOf,
    newBrowser,
  };
}
