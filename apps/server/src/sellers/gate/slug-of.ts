import { slugPattern } from '@switchyard/protocol';

/** A name made of a domain: its first part, or the port on loopback. */
export function slugOf(domain: string): string {
  const [host = '', port] = domain.split(':');
  const first = host.replace(/^(?:www|m)\./, '').split('.')[0] ?? '';
  const made = (port === undefined ? first : `seller-${port}`).toLowerCase().replace(/[^a-z0-9-]/g, '-');
  return slugPattern.test(made) ? made : 'seller';
}
