import { randomBytes } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Where a person goes once signed in: a path of ours. Anything else, another site's address too, is the console. */
export function returnTo(wanted: unknown): string {
  const own = 'http://own.invalid';
  if (typeof wanted !== 'string' || !/^\/(?![/\\])[\x21-\x7e]*$/.test(wanted)) return '/console/';
  const url = URL.parse(wanted, own);
  return url === null || url.origin !== own ? '/console/' : url.pathname + url.search;
}

const failures = {
  wrong: 'E-mail address and password do not match, or the token is unknown, expired or revoked.',
  code: 'The code is not right, or was used before, or this took longer than five minutes. Sign in again.',
  many: 'There were too many attempts. Wait a minute, then try again.',
} as const;

/** The sign-in form, for who is sent here by another program. It runs no script. */
export function signInPage(
  reply: FastifyReply,
  { next, failed }: { readonly next: string; readonly failed?: keyof typeof failures },
): void {
  const fault = failed === undefined ? '' : `<p role="alert">${failures[failed]}</p>`;
  sendPage(
    reply,
    failed === undefined ? 200 : failed === 'many' ? 429 : 401,
    'Sign in to Switchyard',
    `${fault}<form method="post" action="/sign-in">
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

/** Asks for what comes after the password. */
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

/** A passkey needs a script: the console has one, and leads back. */
const passkeyLine = (next: string): string =>
  `<p><a href="/console/#return_to=${escapeHtml(encodeURIComponent(next))}">Sign in with a passkey</a></p>`;

/** A page of ours without a script: its style has a nonce, and its forms go to us alone. */
export function sendPage(reply: FastifyReply, status: number, title: string, body: string): void {
  const nonce = randomBytes(16).toString('base64');
  void reply
    .code(status)
    .header(
      'content-security-policy',
      `default-src 'none'; style-src 'nonce-${nonce}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    )
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'same-origin').send(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${nonce}">
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 10vh auto; padding: 0 1rem; color: #1a1b1e; background: #fff }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
input { padding: .5rem; margin: .25rem 0 1rem; border: 1px solid #6b7280; border-radius: 4px }
button { padding: .6rem; border: 0; border-radius: 4px; background: #1c4f9c; color: #fff; margin: .5rem 0 }
[role=alert] { color: #a11a1a }
@media (prefers-color-scheme: dark) { body { color: #e6e6e6; background: #1a1b1e } input { background: #2a2b2f; color: inherit } [role=alert] { color: #ff9a9a } }
</style></head><body><main><h1>${escapeHtml(title)}</h1>
${body}
</main></body></html>`);
}

/** A text as HTML that says the same and does nothing. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
