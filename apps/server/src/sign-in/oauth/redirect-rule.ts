const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Schemes that a browser or a system handles itself: an answer sent there would run, be saved or be readable. */
const notPrivate = new Set(
  'about blob chrome data file filesystem ftp intent javascript mailto tel vbscript view-source ws wss'.split(
    ' ',
  ),
);

/**
 * Whether an answer with a code may be sent to this address: `https`, plain `http` on loopback only, or a private-use
 * scheme of an application (RFC 8252).
 */
export function isFitRedirect(text: unknown): boolean {
  if (typeof text !== 'string' || text.length > 2_000 || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (text.includes('#') || url.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return loopback.has(url.hostname);
  const scheme = url.protocol.slice(0, -1);
  return /^[a-z][a-z0-9+.-]+$/.test(scheme) && !notPrivate.has(scheme);
}

/** The CSP `form-action` source that lets the browser follow the form's redirects to the client. */
export function formTarget(redirect: string): string {
  const url = new URL(redirect);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
}
