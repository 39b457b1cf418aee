const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);

/** Schemes that a browser or a system handles itself: an answer sent there would run, be saved or be read in plain. */
const notPrivate = new Set(
  'about blob chrome data file filesystem ftp intent javascript mailto tel vbscript view-source ws wss'.split(
    ' ',
  ),
);

/**
 * Where an answer with a code may be sent: `https`, plain `http` to this machine alone, or a
 * scheme of an application’s own (RFC 8252).
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

/** What a page may send its form to so that the browser follows the redirects to the client (CSP `form-action`). */
export function formTarget(redirect: string): string {
  const url = new URL(redirect);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.origin : url.protocol;
}
