import { createHash } from 'node:crypto';
import { escapeHtml } from './escape-html.js';

const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 10vh auto; padding: 0 1rem; color: #1a1b1e; background: #fff; overflow-wrap: anywhere }
h1 { font-size: 1.5rem; line-height: 1.3 }
label, input, button { display: block; width: 100%; box-sizing: border-box; font: inherit }
input[type=checkbox] { display: inline; width: auto; margin: 0 .4rem 0 0 }
input { padding: .5rem; margin: .25rem 0 1rem; border: 1px solid #6b7280; border-radius: 4px }
button { padding: .6rem; border: 1px solid #1c4f9c; border-radius: 4px; background: #1c4f9c; color: #fff; margin: .5rem 0 }
button.second { background: none; color: inherit; border-color: #6b7280 }
a { color: #1c4f9c }
[role=alert] { color: #a11a1a }
@media (prefers-color-scheme: dark) {
  body { color: #e6e6e6; background: #1a1b1e } input { background: #2a2b2f; color: inherit } a { color: #8fbaf5 } [role=alert] { color: #ff9a9a }
}
`;
const styleHash = createHash('sha256').update(style).digest('base64');

/** The document of a page without scripts, with the style that its policy allows. */
export const documentOf = (title: string, heading: string, body: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>${escapeHtml(title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>${style}</style></head><body><main><h1>${heading}</h1>
${body}
</main></body></html>`;

/** The headers of such a page. Its forms go only to us, and from there to `target`. */
export const headersOf = (target?: string): Readonly<Record<string, string>> => ({
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'${
    target === undefined ? '' : ` ${target}`
  }`,
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  // With no-referrer a browser would send its form with `Origin: null`.
  'referrer-policy': 'same-origin',
});
