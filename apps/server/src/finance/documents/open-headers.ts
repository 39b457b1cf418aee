import { createHash } from 'node:crypto';
import { pageStyle } from '@switchyard/tables';

const styleHash = createHash('sha256').update(pageStyle).digest('base64');

/** Headers of what a link opens: it is read by whoever has the link, is stored by nobody, and loads nothing. */
export const openHeaders = {
  'content-security-policy': `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
  'x-content-type-options': 'nosniff',
} as const;
