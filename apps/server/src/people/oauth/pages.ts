import { escapeHtml } from '../../platform/http/escape-html.js';
import { documentOf, headersOf } from '../../platform/http/plain-page.js';
import type { LimitFields, OfferedScope } from './consent.js';
import { formTarget } from './redirect-rule.js';

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly html: string;
}

interface ConsentPage {
  readonly clientName: string;
  readonly redirectUri: string;
  readonly resource: string;
  readonly personName: string;
  readonly scopes: readonly OfferedScope[];
  /** Absent if the program could buy nothing. */
  readonly limit?: LimitFields;
  /** Why the last answer could not be taken. */
  readonly fault?: string;
  /** The target of the form, relative to this server. */
  readonly action: string;
}

/** Asks a person what a client may do in their name. The client's own texts are shown as plain text. */
export function consentPage(consent: ConsentPage): Page {
  const { redirectUri } = consent;
  const to = new URL(redirectUri);
  const where = to.host === '' ? to.protocol.slice(0, -1) : to.host;
  const { fault, limit } = consent;
  return page(
    fault === undefined ? 200 : 400,
    'Allow access',
    `Allow <bdi>${text(consent.clientName)}</bdi> to act for you?`,
    `${fault === undefined ? '' : `<p role="alert">${text(fault)}</p>`}<p>You are signed in as <bdi>${text(consent.personName)}</bdi>.</p>
<p>Nobody has checked the name of this program. The answer goes to <strong><bdi>${text(where)}</bdi></strong>.</p>
<p>It asks for access to <bdi>${text(consent.resource)}</bdi>. Give it less if you like. It never does more than you can do yourself, and never what only a person does: approve, change limits, roles, people, credentials, or remove a seller.</p>
<form method="post" action="${text(consent.action)}">
${consent.scopes.map(scopeBox).join('\n')}
${limit === undefined ? '<p>It cannot buy.</p>' : limitFieldset(limit)}
<button name="answer" value="allow">Allow</button>
<button name="answer" value="deny" class="second">Do not allow</button>
</form>`,
    formTarget(redirectUri),
  );
}

function scopeBox({ name, holds, isChosen }: OfferedScope): string {
  return `<label><input type="checkbox" name="scope" value="${text(name)}"${isChosen ? ' checked' : ''}> <b>${text(name)}</b>: ${text(holds)}</label>`;
}

/** Counts only if a scope to buy is chosen. */
function limitFieldset({ amount, currency, per }: LimitFields): string {
  const option = (value: string, words: string): string =>
    `<option value="${value}"${per === value ? ' selected' : ''}>${words}</option>`;
  return `<fieldset><legend>With buys:write it may spend at most</legend>
<label>Amount <input name="limit_amount" value="${text(amount)}" inputmode="decimal" maxlength="20"></label>
<label>Currency <input name="limit_currency" value="${text(currency)}" maxlength="3"></label>
<label>In <select name="limit_per">${option('month', 'each month')}${option('all', 'all')}</select></label>
</fieldset>`;
}

/** Shows an error that must not be redirected to the client. */
export function faultPage(status: number, message: string): Page {
  return page(status, 'Sign-in did not work', 'Sign-in did not work', `<p>${text(message)}</p>`);
}

function page(status: number, title: string, heading: string, body: string, target?: string): Page {
  return {
    status,
    headers: { ...headersOf(target), 'x-content-type-options': 'nosniff', 'x-frame-options': 'DENY' },
    html: documentOf(title, heading, body),
  };
}

/** As text in HTML, without control characters and marks that change the text direction, 300 characters at most. */
function text(value: string): string {
  return escapeHtml(value.slice(0, 300).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ''));
}
