import { randomBytes } from 'node:crypto';
import { Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isTokenText, newToken } from '@switchyard/tenancy';
import { z } from 'zod';
import { sendAnswer } from '../../platform/http/http-answer.js';
import { isFresh } from '../old-session.js';
import type { Person } from './passkeys.js';
import {
  cookieOf,
  endReplaced,
  openSessionFor,
  personOf,
  seenOf,
  setCookie,
  SIGN_IN,
  type SignInContext,
} from './sessions.js';
import { entrancePage, returnTo, signInPage, type SignInFailure } from './sign-in-page.js';
import type { WantedOrganization } from './organization-sign-in.js';
import { upstreamMs } from './upstream-sign-in.js';

export const providerView = z.strictObject({
  name: z.string().exactOptional().describe('Absent: people sign in here alone.'),
});

/** Holds the secret of the browser while it is at the provider. */
const browserCookie = { name: 'switchyard_oidc', path: '/sign-in/oidc' } as const;

/** Marks a session that came from the provider, so that sign-out continues there. */
export const leavingCookie = { name: 'switchyard_left_by', path: '/v1/session' } as const;

/** Sign-in with the OpenID Connect provider of the installation: start, callback, and the question before a first entry. */
@Controller()
export class UpstreamController {
  constructor(@Inject(SIGN_IN) private readonly http: SignInContext) {}

  @Get('v1/session/provider')
  provider(@Res() reply: FastifyReply): void {
    const name = this.http.signIn?.upstream?.name;
    sendAnswer(reply, { status: 200, body: { ...(name !== undefined && { name }) } });
  }

  @Get('sign-in/oidc')
  async begin(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    const next = returnTo((request.query as Record<string, unknown>)['return_to']);
    if (this.isBusy(request)) return this.fail(reply, 'many', next);
    const held = cookieOf(request, browserCookie.name) ?? '';
    // Several tabs of a browser may be at the provider at once.
    const browser = isTokenText(held) ? held : newToken(randomBytes(32)).text;
    const wanted = wantedIn(request.query);
    const ofOrganization =
      wanted === undefined ? undefined : await http.signIn?.byOrganization?.begin(wanted, next, browser);
    // An address whose organization has no provider may be known to that of the installation.
    if (ofOrganization === undefined && wanted !== undefined && http.signIn?.upstream === undefined)
      return this.fail(reply, 'no_provider', next);
    const to = ofOrganization ?? (await http.signIn?.upstream?.begin(next, browser));
    if (to?.ok !== true) return this.fail(reply, to?.error ?? 'unreachable', next);
    const cookie = setCookie(browser, http.clock.now() + upstreamMs, http, browserCookie);
    void reply.header('cache-control', 'no-store').header('set-cookie', cookie).redirect(to.value.href, 303);
  }

  @Get('sign-in/oidc/callback')
  async finish(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    if (this.isBusy(request)) return this.fail(reply, 'many');
    const answer = new URLSearchParams(request.raw.url?.split('?')[1] ?? '');
    const browser = cookieOf(request, browserCookie.name) ?? '';
    const came = await http.signIn?.upstream?.finish(answer, browser, await this.personBeside(request));
    if (came?.signedIn.ok !== true)
      return this.fail(reply, came?.signedIn.error ?? 'unreachable', came?.next);
    const { value } = came.signedIn;
    if ('question' in value) return entrancePage(reply, value);
    await this.open(request, reply, { person: value, next: came.next, isLeaving: true });
  }

  @Get('sign-in/oidc/callback/:organization')
  async finishAt(
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
    @Param('organization') organization: string,
  ): Promise<void> {
    const { http } = this;
    if (this.isBusy(request)) return this.fail(reply, 'many');
    const answer = new URLSearchParams(request.raw.url?.split('?')[1] ?? '');
    const browser = cookieOf(request, browserCookie.name) ?? '';
    const came = await http.signIn?.byOrganization?.finish(organization, answer, browser);
    if (came?.signedIn.ok !== true)
      return this.fail(reply, came?.signedIn.error ?? 'unreachable', came?.next);
    await this.open(request, reply, { person: came.signedIn.value, next: came.next, isLeaving: false });
  }

  @Post('sign-in/oidc/enter')
  async enter(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    if (this.isBusy(request)) return this.fail(reply, 'many');
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
    const entrance = form.get('entrance') ?? '';
    const question = (form.get('question') ?? '').slice(0, 200);
    const browser = cookieOf(request, browserCookie.name) ?? '';
    const beside = await this.personBeside(request);
    const came = await http.signIn?.upstream?.enter(question, entrance, browser, beside);
    if (entrance === '')
      return void reply.redirect(`/sign-in?return_to=${encodeURIComponent(returnTo(came?.next))}`, 303);
    if (came?.signedIn.ok !== true)
      return this.fail(reply, came?.signedIn.error ?? 'unreachable', came?.next);
    await this.open(request, reply, { person: came.signedIn.value, next: came.next, isLeaving: true });
  }

  /** Who may link an account to itself: the person of a whole session that was opened a moment ago. */
  private async personBeside(request: FastifyRequest): Promise<Person | undefined> {
    const session = await personOf(request, this.http);
    if (session === undefined || session.token.permissions !== undefined) return undefined;
    const { principal, token } = session;
    if (principal.kind !== 'person' || !isFresh(token.authenticatedAt ?? token.createdAt, this.http.clock))
      return undefined;
    return { organizationId: principal.organizationId, principalId: principal.id };
  }

  private async open(
    request: FastifyRequest,
    reply: FastifyReply,
    { person, next, isLeaving }: { person: Person; next: string | undefined; isLeaving: boolean },
  ): Promise<void> {
    const { http } = this;
    const seen = seenOf(request, http.addressOf);
    const opened = await openSessionFor(person, seen, http, { hasFactor: true });
    if (opened === undefined) return this.fail(reply, 'off', next);
    await endReplaced(request, opened, http);
    http.onSignIn?.({
      outcome: 'opened',
      way: 'provider',
      request_id: request.id,
      organization: person.organizationId,
      principal: person.principalId,
    });
    const { id, expiresAt } = opened.session.token;
    const cookies = [
      setCookie(opened.cookie, expiresAt, http),
      ...(isLeaving ? [setCookie(id, expiresAt, http, leavingCookie)] : []),
    ];
    void reply
      .header('cache-control', 'no-store')
      .header('set-cookie', cookies)
      .redirect(returnTo(next), 303);
  }

  private isBusy(request: FastifyRequest): boolean {
    const { http } = this;
    return http.rates.take(`address:${http.addressOf(request)}`, 'write') !== undefined;
  }

  /** The forms are shown too: people can sign in here while the provider does not answer. */
  private fail(reply: FastifyReply, failed: SignInFailure, next = returnTo(undefined)): void {
    this.http.onSignIn?.({ outcome: 'refused', way: 'provider', request_id: reply.request.id });
    signInPage(reply, { next, failed, provider: this.http.signIn?.upstream?.name });
  }
}

/** Whose provider is meant: of an organization by its id or short name, or by the domain of an address. */
function wantedIn(query: unknown): WantedOrganization | undefined {
  const { organization, email } = query as Record<string, unknown>;
  if (typeof organization === 'string' && /^[A-Za-z0-9-]{1,64}$/.test(organization)) return { organization };
  const isAddress =
    typeof email === 'string' && email.length <= 254 && /^[^@\s]+@[^@\s]+$/.test(email.trim());
  return isAddress ? { email: email.trim() } : undefined;
}
