import { Controller, Delete, Get, Inject, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isoOf } from '@switchyard/values';
import { z } from 'zod';
import { rateLimited, refusal, sendAnswer, type HttpAnswer } from '../../platform/http/http-answer.js';
import { instant, jsonObject, newPassword } from '../../platform/routes/fields.js';
import { readJson } from '../../platform/http/read-json.js';
import { passkeyRefusals, tooBusy } from '../factors.routes.js';
import { passwordFaults } from '../password-faults.js';
import type { Session } from '../../platform/http/access/session.js';
import { readRequest } from '../../platform/routes/request-form.js';
import {
  cookieOf,
  endReplaced,
  endSession,
  openSession,
  personOf,
  seenOf,
  sessionEnded,
  sessionOf,
  setCookie,
  waitingPerson,
  type OpenedSession,
  type Proof,
  SIGN_IN,
  type SecondStep,
  type SignInContext,
} from './sessions.js';
import { returnTo, secondStepPage, signInPage, type SignInFailure } from './sign-in-page.js';
import { leavingCookie } from './upstream.controller.js';

export const proof = z.union([
  z.strictObject({ token: z.string().min(1).max(200) }),
  z.strictObject({ link: z.string().min(1).max(200) }),
  z.strictObject({ email: z.string().min(3).max(254), password: z.string().min(1).max(200) }),
  z.strictObject({
    invitation: z.string().min(1).max(200),
    password: newPassword,
  }),
  z.strictObject({
    reset: z.string().min(1).max(200).describe('The secret of a mailed link.'),
    password: newPassword,
  }),
  z.strictObject({
    second_step: z.string().min(1).max(200),
    code: z.string().min(1).max(40).describe('Of the app, or a recovery code.'),
  }),
  z.strictObject({
    challenge_id: z.string().min(1).max(200),
    passkey: z.looseObject({ id: z.string() }).describe('What the authenticator has answered (WebAuthn).'),
    second_step: z.string().min(1).max(200).exactOptional(),
  }),
]);

export const resetRequest = z.strictObject({ email: z.string().min(3).max(254) });

export const resetView = z.strictObject({
  requested: z.literal(true).describe('Said of every address, known or not.'),
});

export const challengeRequest = z.strictObject({
  second_step: z.string().min(1).max(200).exactOptional().describe('After a password.'),
});

export const challengeView = z.strictObject({
  challenge_id: z.string(),
  options: jsonObject.describe('The options for the browser, as in WebAuthn.'),
});

export const sessionView = z.strictObject({
  session_id: z.string(),
  principal_id: z.string(),
  principal: z.string(),
  kind: z.enum(['buyer', 'brand', 'person', 'service']),
  organization_id: z.string(),
  expires_at: instant,
});

export const secondStepView = z.strictObject({
  second_step: z.string().describe('Send it again with the second factor.'),
  factors: z.array(z.enum(['code', 'passkey'])),
  expires_at: instant,
});

export const signedOutView = z.strictObject({
  signed_out: z.literal(true),
  leave_at: z
    .string()
    .exactOptional()
    .describe('Open it in the browser: it ends the session at the provider that the person came from.'),
});

/** Sign-in with a browser: `POST`, `GET` and `DELETE /v1/session`, and a page for people outside the console. */
@Controller()
export class SessionController {
  constructor(@Inject(SIGN_IN) private readonly http: SignInContext) {}

  @Post('v1/session')
  async open(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const json = await readJson(request);
    const read = json.ok ? readRequest(proof, json.value.value) : json;
    if (!read.ok) return sendAnswer(reply, refusal(read.error));
    const opened = await this.signIn(request, read.value as Proof);
    if ('status' in opened) return sendAnswer(reply, opened);
    sendAnswer(
      reply,
      'secondStep' in opened
        ? { status: 202, body: stepOf(opened) }
        : { status: 200, headers: { 'set-cookie': opened.cookie }, body: bodyOf(opened.session) },
    );
  }

  @Post('v1/session/passkey')
  async challenge(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    const wait = http.rates.take(`address:${http.addressOf(request)}`, 'write');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const json = await readJson(request);
    const read = json.ok ? readRequest(challengeRequest, json.value.value) : json;
    if (!read.ok) return sendAnswer(reply, refusal(read.error));
    const { second_step: text } = read.value;
    const person = text === undefined ? undefined : await waitingPerson(text, http);
    if (text !== undefined && person === undefined) return sendAnswer(reply, proofRefused('code'));
    const made = await http.signIn?.passkeys.challengeToSignIn(person);
    sendAnswer(
      reply,
      made?.ok === true ? { status: 200, body: made.value } : refusal(passkeyRefusals.no_name),
    );
  }

  @Post('v1/session/reset')
  async reset(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    const wait = http.rates.take(`address:${http.addressOf(request)}`, 'failure');
    if (wait !== undefined) return sendAnswer(reply, rateLimited(wait));
    const json = await readJson(request);
    const read = json.ok ? readRequest(resetRequest, json.value.value) : json;
    if (!read.ok) return sendAnswer(reply, refusal(read.error));
    const { mails } = http.signIn ?? {};
    if (mails === undefined) return sendAnswer(reply, refusal(noMail));
    // Not awaited: the time of the answer says nothing about the address.
    mails
      .requestReset(read.value.email)
      .catch((error: unknown) => http.onUnexpected(error, 'requesting a mail for a new password'));
    sendAnswer(reply, { status: 202, body: { requested: true } });
  }

  @Get('v1/session')
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const found = await sessionOf(request, this.http);
    if (!found.ok) return sendAnswer(reply, found.error);
    sendAnswer(reply, found.value === undefined ? signedOut : { status: 200, body: bodyOf(found.value) });
  }

  @Delete('v1/session')
  async end(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { http } = this;
    const found = await sessionOf(request, http);
    if (!found.ok && found.error !== sessionEnded) return sendAnswer(reply, found.error);
    const session = found.ok ? found.value : undefined;
    if (session !== undefined) await endSession(session, http);
    const isOfProvider = session?.token.id === cookieOf(request, leavingCookie.name);
    const leaveAt = session && isOfProvider ? await http.signIn?.upstream?.leave() : undefined;
    void reply.header('set-cookie', [setCookie('', 0, http), setCookie('', 0, http, leavingCookie)]);
    const body: z.output<typeof signedOutView> = {
      signed_out: true,
      ...(leaveAt && { leave_at: leaveAt.href }),
    };
    sendAnswer(reply, { status: 200, body });
  }

  @Get('sign-in')
  async page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const next = returnTo((request.query as Record<string, unknown>)['return_to']);
    const person = await personOf(request, this.http);
    if (person !== undefined) void reply.redirect(next, 303);
    else signInPage(reply, { next, provider: this.provider });
  }

  @Post('sign-in')
  async submit(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const form = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString('utf8') : '');
    const next = returnTo(form.get('return_to'));
    const email = (form.get('email') ?? '').trim().slice(0, 254);
    const secret = (form.get('secret') ?? '').slice(0, 200);
    const step = form.get('second_step');
    const code = (form.get('code') ?? '').slice(0, 40);
    const opened = await this.signIn(
      request,
      step !== null
        ? { second_step: step.slice(0, 200), code }
        : email === ''
          ? { token: secret.trim() }
          : { email, password: secret },
    );
    if ('status' in opened) {
      const failed = failuresOf[opened.status] ?? (step === null ? 'wrong' : 'code');
      return signInPage(reply, { next, failed, provider: this.provider });
    }
    if ('secondStep' in opened) return secondStepPage(reply, { next, step: opened.secondStep.text });
    void reply.header('set-cookie', opened.cookie).redirect(next, 303);
  }

  private get provider(): string | undefined {
    return this.http.signIn?.upstream?.name;
  }

  private async signIn(
    request: FastifyRequest,
    given: Proof,
  ): Promise<HttpAnswer | OpenedSession | SecondStep> {
    const opened = await this.prove(request, given);
    const session = 'session' in opened ? opened.session : undefined;
    this.http.onSignIn?.({
      outcome: session !== undefined ? 'opened' : 'secondStep' in opened ? 'second_step' : 'refused',
      way: kindOf(given),
      request_id: request.id,
      ...(session && { organization: session.principal.organizationId, principal: session.principal.id }),
    });
    return opened;
  }

  private async prove(
    request: FastifyRequest,
    given: Proof,
  ): Promise<HttpAnswer | OpenedSession | SecondStep> {
    const { http } = this;
    // Taken before the proof is checked: a refused address learns nothing, and costs no hash.
    const address = `address:${http.addressOf(request)}`;
    const wait = http.rates.take(address, 'failure');
    if (wait !== undefined) return rateLimited(wait);
    const opened = await openSession(given, seenOf(request, http.addressOf), http);
    if (opened === undefined) return proofRefused(kindOf(given));
    http.rates.giveBack(address, 'failure');
    if (opened === 'busy') return refusal({ ...tooBusy, retryAfter: 5 });
    if (typeof opened === 'string') return refusal(passwordFaults[opened]);
    if ('secondStep' in opened) return opened;
    const { session, cookie } = opened;
    await endReplaced(request, opened, http);
    return { session, cookie: setCookie(cookie, session.token.expiresAt, http) };
  }
}

/** What the page says of a refusal that is not about the proof, by its status. */
const failuresOf: Readonly<Record<number, SignInFailure>> = { 429: 'many', 503: 'busy' };

const noMail = {
  code: 'INVALID_REQUEST',
  message: 'This installation sends no mail.',
  suggestion: 'Ask an admin for a sign-in link: switchyard principals link NAME',
} as const;

const newLink = 'Ask an admin for a new link: switchyard principals link NAME';

/** Why a proof is refused, by its kind: the person typed only one. Each has one text for every fault. */
const refusals = {
  link: ['The link is unknown, used or expired.', newLink],
  token: ['The token is unknown, expired or revoked.', newLink],
  password: [
    'E-mail address and password do not match.',
    'Five wrong passwords in a row shut your network address out for 15 minutes.',
  ],
  code: [
    'The code is not right, or was used before, or this took longer than five minutes.',
    'Type the next code of your app, or begin again.',
  ],
  reset: ['The link is unknown, used or expired.', 'Ask for another mail.'],
  invitation: ['The invitation is unknown, used, withdrawn or expired.', 'Ask for another invitation.'],
  passkey: ['The passkey is not known here, or this took too long.', 'Try it again, or sign in otherwise.'],
} as const;

function kindOf(given: Proof): keyof typeof refusals {
  if ('link' in given) return 'link';
  if ('token' in given) return 'token';
  if ('invitation' in given) return 'invitation';
  if ('reset' in given) return 'reset';
  if ('email' in given) return 'password';
  return 'code' in given ? 'code' : 'passkey';
}

function proofRefused(kind: keyof typeof refusals): HttpAnswer {
  const [message, suggestion] = refusals[kind];
  return refusal({ code: 'AUTH_INVALID', message, suggestion });
}

const signedOut = refusal({ code: 'AUTH_REQUIRED', message: 'Nobody is signed in.' });

function stepOf({ secondStep, factors }: SecondStep): z.output<typeof secondStepView> {
  return {
    second_step: secondStep.text,
    factors: [...factors],
    expires_at: isoOf(secondStep.expiresAt),
  };
}

function bodyOf({ principal, token }: Session): z.output<typeof sessionView> {
  return {
    session_id: token.id,
    principal_id: principal.id,
    principal: principal.name,
    kind: principal.kind,
    organization_id: principal.organizationId,
    expires_at: isoOf(token.expiresAt),
  };
}
