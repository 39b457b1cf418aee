const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/**
 * Whether an answer with a code may be sent to this address: `https`, plain `http` on loopback only, or a private-use
 * scheme of an application. Such a scheme is a domain name in reverse order, so it has a dot, as no scheme that a browser
 * or a system handles itself (RFC 8252, section 7.1).
 */
export function isFitRedirect(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 2_000 || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (text.includes('#') || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return loopback.has(url.hostname);
  const scheme = url.protocol.slice(0, -1);
  return /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+$/.test(scheme);
}

/** The CSP `form-action` source that lets the browser follow the form's redirects to the client. */
export function formTarget(redirect: string): string {
  const url = new URL(redirect);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
}
