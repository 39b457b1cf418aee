import { documentOf, escapeHtml, headersOf } from '../sign-in-page.js';
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
  readonly lines: readonly string[];
  /** The target of the form, relative to this server. */
  readonly action: string;
}

/** Asks a person whether a client may act in their name. The client's own texts are shown as plain text. */
export function consentPage(consent: ConsentPage): Page {
  const { redirectUri } = consent;
  const to = new URL(redirectUri);
  const where = to.host === '' ? to.protocol.slice(0, -1) : to.host;
  const lines = consent.lines.map((line) => `<li>${text(line)}</li>`).join('');
  return page(
    200,
    'Allow access',
    `Allow <bdi>${text(consent.clientName)}</bdi> to act for you?`,
    `<p>You are signed in as <bdi>${text(consent.personName)}</bdi>.</p>
<p>Nobody has checked the name of this program. The answer goes to <strong><bdi>${text(where)}</bdi></strong>.</p>
<p>It gets access to <bdi>${text(consent.resource)}</bdi> and can do this, and never more than you can do yourself:</p>
<ul>${lines === '' ? '<li>nothing: your roles allow nothing of what it asks for</li>' : lines}</ul>
<form method="post" action="${text(consent.action)}">
<button name="answer" value="allow">Allow</button>
<button name="answer" value="deny" class="second">Do not allow</button>
</form>`,
    formTarget(redirectUri),
  );
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
