import { Controller, Get, Inject, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { clientDocument } from './client-document.js';
import type { AuditLog } from '@switchyard/store';
import { authorize } from '@switchyard/tenancy';
import { isUuid, type Result } from '@switchyard/values';
import { principalCaller } from '../../platform/caller/principal-caller.js';
import { escapeHtml } from '../../platform/http/escape-html.js';
import { rateLimited, sendAnswer } from '../../platform/http/http-answer.js';
import { HTTP_CONTEXT, type HttpContext } from '../../platform/http/http-context.js';
import { documentOf, headersOf } from '../../platform/http/plain-page.js';
import { scopeOf, type PrincipalCaller } from '../../platform/tasks/call/task-call.js';
import { tokenOf } from '../../platform/token.js';
import { resumeGate, type GateDeps } from '../gate/run-gate.js';
import { consentQuestion, finishConsent, type ConsentFault } from './consent.js';

export interface ConsentDeps extends GateDeps {
  readonly audit: Pick<AuditLog, 'begin' | 'end'>;
}

/** Nest's token of what the pages of a consent use. */
export const CONSENTS = tokenOf<ConsentDeps>('consents at sellers');

/**
 * The pages on a person's way to the authorization server of a seller and back
 * (docs/protocol/sellers.md#sign-in-by-oauth). Both ask for the session of the person who began it.
 */
@Controller('sellers')
export class ConsentController {
  constructor(
    @Inject(HTTP_CONTEXT) private readonly http: HttpContext,
    @Inject(CONSENTS) private readonly deps: ConsentDeps,
  ) {}

  /** Names the host before anybody is sent there. */
  @Get(':connection/authorise')
  async begin(
    @Param('connection') connectionId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = await this.callerOf(request, reply);
    if (caller === undefined) return;
    const state = queryOf(request).get('state') ?? '';
    const asked = isUuid(connectionId)
      ? await consentQuestion(this.deps.signIns, caller, connectionId, state)
      : undefined;
    if (asked?.ok !== true) return fail(reply, asked?.error);
    const { seller, host, scopes, address } = asked.value;
    const wants = scopes.length === 0 ? '' : `<p>It asks for: ${text(scopes.join(', '))}.</p>`;
    page(
      reply,
      200,
      'Sign in at a seller',
      `<p>You go to <strong><bdi>${text(host)}</bdi></strong> to let Switchyard act for your organization at the seller <strong>${text(seller)}</strong>.</p>
<p>Sign in there with the account of your organization, and only if you know this host.</p>
${wants}<p><a href="${escapeHtml(address.href)}">Continue to ${text(host)}</a></p>`,
    );
  }

  /** What an authorization server may read about our client; its address is the client's id. */
  @Get(':connection/signed-client.json')
  signed(
    @Param('connection') connectionId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    this.document(connectionId, 'signed', request, reply);
  }

  @Get(':connection/public-client.json')
  unsigned(
    @Param('connection') connectionId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    this.document(connectionId, 'public', request, reply);
  }

  private document(
    connectionId: string,
    kind: 'signed' | 'public',
    request: FastifyRequest,
    reply: FastifyReply,
  ): void {
    const wait = this.http.rates.take(`address:${this.http.addressOf(request)}`, 'read');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    if (!isUuid(connectionId)) return fail(reply, undefined);
    const body = clientDocument(this.http.url(), connectionId, kind);
    sendAnswer(reply, { status: 200, headers: { 'cache-control': 'public, max-age=300' }, body });
  }

  /** Takes the answer of the authorization server, and goes on with the checks of the seller. */
  @Get(':connection/authorised')
  async finish(
    @Param('connection') connectionId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const caller = await this.callerOf(request, reply);
    if (caller === undefined) return;
    if (!isUuid(connectionId)) return fail(reply, undefined);
    const finished = await this.recorded(caller, connectionId, () =>
      finishConsent(this.deps.signIns, caller, connectionId, queryOf(request)),
    );
    if (!finished.ok) return fail(reply, finished.error);
    const { connection, authorization } = finished.value;
    const { slug } = connection;
    const now = (await this.deps.connections.byId(scopeOf(caller), connectionId)) ?? connection;
    const isOfClient = authorization.forClient !== undefined;
    const run =
      isOfClient || connection.state === 'live' ? undefined : await resumeGate(this.deps, caller, now);
    if (run === undefined) {
      const done = isOfClient
        ? `The client uses a login of its own at ${text(slug)} from now on.`
        : `The sign-in at ${text(slug)} is renewed.`;
      const tab = isOfClient ? 'Accounts' : 'Keys+and+sign-in';
      return goesOn(reply, done, `/console/sellers/${encodeURIComponent(slug)}?tab=${tab}`);
    }
    const open = run.checks.find(({ state }) => state === 'failed' || state === 'needs_person');
    const words = {
      live: `${text(slug)} is live.`,
      waiting: `${text(slug)} waits for another person: <code>switchyard sellers approve ${text(slug)}</code>`,
      needs_person: text(`${open?.words ?? ''} ${open?.next ?? ''}`),
      failed: text(`${open?.words ?? ''} ${open?.next ?? ''}`),
    }[run.state];
    goesOn(reply, words, `/console/sellers/new?draft=${encodeURIComponent(slug)}`);
  }

  /** The person of the session; without one the browser is led to sign-in, and returns here. */
  private async callerOf(request: FastifyRequest, reply: FastifyReply): Promise<PrincipalCaller | undefined> {
    const wait = this.http.rates.take(`address:${this.http.addressOf(request)}`, 'write');
    if (wait !== undefined) {
      sendAnswer(reply, rateLimited(wait));
      return undefined;
    }
    const session = await this.http.readSession(request);
    if (!session.ok || session.value === undefined || session.value.token.factorDue === true) {
      const back = encodeURIComponent(request.raw.url ?? '');
      void reply.header('cache-control', 'no-store').redirect(`/sign-in?return_to=${back}`, 303);
      return undefined;
    }
    const caller = principalCaller(session.value.principal);
    const allowed = authorize(caller, { access: 'credentials', area: 'sellers', permission: 'write' });
    if (allowed.ok && caller.principalKind === 'person') return caller;
    page(reply, 403, 'This is not for you', `<p>Only a person who may change sellers does this.</p>`);
    return undefined;
  }

  /** The audit has it like every act over REST: its row is there before anything is done. */
  private async recorded<T>(
    caller: PrincipalCaller,
    connectionId: string,
    act: () => Promise<Result<T, ConsentFault>>,
  ): Promise<Result<T, ConsentFault>> {
    const { audit, clock } = this.deps;
    const scope = scopeOf(caller);
    const id = await audit.begin(scope, {
      at: clock.now(),
      actorId: caller.principalId,
      actorName: caller.name,
      action: 'finish_sign_in_at_seller',
      objectKind: 'sellers',
      objectId: connectionId,
      detail: {},
    });
    try {
      const done = await act();
      const end = done.ok
        ? { outcome: 'ok' as const }
        : { outcome: 'refused' as const, code: done.error.code };
      await audit.end(scope, id, { ...end, endedAt: clock.now() });
      return done;
    } catch (error) {
      await audit.end(scope, id, { outcome: 'failed', endedAt: clock.now() });
      throw error;
    }
  }
}

const queryOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams((request.raw.url?.split('?')[1] ?? '').slice(0, 8_192));

const statuses = { ended: 410, another_person: 403, denied: 403, refused: 502, unavailable: 503 } as const;

function fail(reply: FastifyReply, fault: ConsentFault | undefined): void {
  const { code = 'ended', words = 'There is nothing at this address.' } = fault ?? {};
  page(
    reply,
    fault === undefined ? 404 : statuses[code],
    'The sign-in at the seller did not work',
    `<p role="alert">${text(words)} <small>${code}</small></p>`,
  );
}

/** The page of the console follows by itself; the words are HTML, for who reads this answer without a browser. */
function goesOn(reply: FastifyReply, words: string, place: string): void {
  void reply.header('refresh', `0; url=${place}`);
  page(reply, 200, 'You are signed in', `<p>${words}</p><p><a href="${place}">Go on in the console</a></p>`);
}

function page(reply: FastifyReply, status: number, title: string, body: string): void {
  void reply
    .code(status)
    .headers({ ...headersOf(), 'referrer-policy': 'no-referrer' })
    .send(documentOf(title, escapeHtml(title), body));
}

/** As text in HTML, without control characters and marks that change the text direction. */
const text = (value: string): string =>
  escapeHtml(value.slice(0, 600).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ''));
