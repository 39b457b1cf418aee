import type { FastifyReply } from 'fastify';
import { httpStatusOf } from '@switchyard/protocol';
import type { HttpErrorCode } from '../../platform/http/http-answer.js';
import { escapeHtml } from '../../platform/http/escape-html.js';
import { documentOf, headersOf } from '../../platform/http/plain-page.js';
import type { EntranceQuestion } from './upstream-sign-in.js';

/** The path to open after sign-in: one of our own. Anything else, as another site's address, becomes the console. */
export function returnTo(wanted: unknown): string {
  const own = 'http://own.invalid';
  if (typeof wanted !== 'string' || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return '/console/';
  const url = URL.parse(wanted, own);
  if (url === null || url.origin !== own) return '/console/';
  // Without its dot segments a path may begin like an address: `/.//evil.example`.
  const path = url.pathname + url.search;
  return path.startsWith('//') ? '/console/' : path;
}

/** The texts of the page, with their codes, which decide the status. */
const failures = {
  wrong: [
    'AUTH_INVALID',
    'E-mail address and password do not match, or the token is unknown, expired or revoked.',
  ],
  code: [
    'AUTH_INVALID',
    'The code is not right, or was used before, or this took longer than five minutes. Sign in again.',
  ],
  many: ['RATE_LIMITED', 'There were too many attempts. Wait a minute, then try again.'],
  busy: [
    'UNAVAILABLE',
    'Too many passwords are being checked at this moment, so yours was not. Try again in a few seconds.',
  ],
  unreachable: [
    'UNAVAILABLE',
    'The provider does not answer as it should. Try again later, or sign in below.',
  ],
  denied: ['AUTH_INVALID', 'The provider did not sign you in.'],
  invalid: ['AUTH_INVALID', 'The answer of the provider does not hold. Sign in again.'],
  ended: [
    'AUTH_INVALID',
    'This sign-in was not begun in this browser, or was used, or took longer than ten minutes. Sign in again.',
  ],
  unverified: [
    'INSUFFICIENT_PERMISSIONS',
    'The provider does not say that your e-mail address is verified, and your account there is not linked yet.',
  ],
  domain: ['INSUFFICIENT_PERMISSIONS', 'Addresses of this domain do not sign in here.'],
  unknown: [
    'INSUFFICIENT_PERMISSIONS',
    'Nobody here has proved your e-mail address, and no invitation is open for it. Ask an admin for an invitation.',
  ],
  other_account: [
    'INSUFFICIENT_PERMISSIONS',
    'The person with your e-mail address is linked to another account of the provider. Ask an admin to remove that link.',
  ],
  off: [
    'INSUFFICIENT_PERMISSIONS',
    'The person that your account is linked to is switched off. Ask an admin.',
  ],
  groups: [
    'INSUFFICIENT_PERMISSIONS',
    'The provider did not say which groups you are in, so your roles are not known. Ask an admin to have it send only the groups of this application.',
  ],
  no_role: [
    'INSUFFICIENT_PERMISSIONS',
    'None of your groups at the provider gives you a role here. Ask an admin.',
  ],
  no_provider: [
    'NOT_FOUND',
    'No organization with a sign-in of its own has proved the domain of this address. Ask your admin for its sign-in link, or sign in below.',
  ],
} as const satisfies Readonly<Record<string, readonly [HttpErrorCode, string]>>;

export type SignInFailure = keyof typeof failures;

interface SignInPage {
  readonly next: string;
  readonly failed?: SignInFailure;
  /** The name of the OpenID Connect provider, if there is one. */
  readonly provider?: string | undefined;
}

/** The sign-in form for people who come from another program or back from the provider. It runs no script. */
export function signInPage(reply: FastifyReply, { next, failed, provider }: SignInPage): void {
  const [code, text] = failed === undefined ? [] : failures[failed];
  const fault = code === undefined ? '' : `<p role="alert">${text} <small>${code}</small></p>`;
  sendPage(
    reply,
    code === undefined ? 200 : httpStatusOf(code),
    'Sign in to Switchyard',
    `${fault}${providerLine(next, provider)}${organizationLine(next)}<form method="post" action="/sign-in">
<input type="hidden" name="return_to" value="${escapeHtml(next)}">
<label for="email">E-mail address</label>
<input id="email" name="email" type="email" autocomplete="username" autofocus>
<label for="secret">Password, or a token without an e-mail address</label>
<input id="secret" name="secret" type="password" autocomplete="current-password" required>
<button>Sign in</button>
</form>
${passkeyLine(next)}
<p>Not here before? Ask an admin for a sign-in link: <code>switchyard principals link NAME</code></p>`,
  );
}

const providerLine = (next: string, name: string | undefined): string =>
  name === undefined
    ? ''
    : `<p><a href="/sign-in/oidc?return_to=${escapeHtml(encodeURIComponent(next))}">Sign in with ${escapeHtml(name)}</a></p>\n`;

/** People whose organization has a provider of its own name themselves by their address. */
const organizationLine = (next: string): string => `<form method="get" action="/sign-in/oidc">
<input type="hidden" name="return_to" value="${escapeHtml(next)}">
<label for="work">Work e-mail address</label>
<input id="work" name="email" type="email" autocomplete="username" maxlength="254" required>
<button class="second">Sign in with your organization</button>
</form>
`;

/** Asks before an account of the provider enters an organization for the first time. */
export function entrancePage(reply: FastifyReply, { question, entrances }: EntranceQuestion): void {
  const rows = entrances.map(({ id, organization, as, role }) => {
    const newcomer = role === undefined ? '' : `, a new person with the role ${escapeHtml(role)}`;
    return `<p>You enter <strong>${escapeHtml(organization)}</strong> as <strong>${escapeHtml(as)}</strong>${newcomer}.</p>
<button name="entrance" value="${escapeHtml(id)}">Enter ${escapeHtml(organization)}</button>`;
  });
  sendPage(
    reply,
    200,
    entrances.length === 1 ? 'Is this right?' : 'Where do you want to go?',
    `<form method="post" action="/sign-in/oidc/enter">
<input type="hidden" name="question" value="${escapeHtml(question)}">
${rows.join('\n')}
<button class="second" name="entrance" value="">Cancel</button>
</form>
<p>From then on this account signs you in there. If you expected another organization, cancel and ask its admin for an invitation.</p>`,
  );
}

/** Asks for the second factor. */
export function secondStepPage(
  reply: FastifyReply,
  { next, step }: { readonly next: string; readonly step: string },
): void {
  sendPage(
    reply,
    200,
    'One more step',
    `<form method="post" action="/sign-in">
<input type="hidden" name="return_to" value="${escapeHtml(next)}">
<input type="hidden" name="second_step" value="${escapeHtml(step)}">
<label for="code">Code of your app, or a recovery code</label>
<input id="code" name="code" autocomplete="one-time-code" autocapitalize="characters" maxlength="40" autofocus required>
<button>Sign in</button>
</form>
${passkeyLine(next)}`,
  );
}

/** A passkey needs a script: the console has one, and returns here. */
const passkeyLine = (next: string): string =>
  `<p><a href="/console/#return_to=${escapeHtml(encodeURIComponent(next))}">Sign in with a passkey</a></p>`;

function sendPage(reply: FastifyReply, status: number, title: string, body: string): void {
  void reply
    .code(status)
    .headers(headersOf())
    .send(documentOf(title, escapeHtml(title), body));
}
