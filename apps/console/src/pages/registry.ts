import { adminPages } from './admin/index.js';
import { agencyPages } from './agency/index.js';
import { financePages } from './finance/index.js';
import type { Area, Page } from './page.js';

export const areas: readonly { readonly area: Area; readonly title: string }[] = [
  { area: 'agency', title: 'Buying' },
  { area: 'finance', title: 'Finance' },
  { area: 'admin', title: 'Administration' },
];

/** Every page of the console. A new one is a line in the `index.ts` of its area and a file beside it. */
export const pages: readonly Page[] = [...agencyPages, ...financePages, ...adminPages];

/** The page of a path, by its pattern. */
export function pageAt(path: string): Page | undefined {
  const given = path
    .replace(/^\/console/, '')
    .replace(/\/$/, '')
    .split('/');
  return pages.find((page) => {
    const wanted = page.path.replace(/\/$/, '').split('/');
    return (
      wanted.length === given.length && wanted.every((step, at) => step.startsWith('$') || step === given[at])
    );
  });
}
