import { adminPages } from './admin/index.js';
import { agencyPages } from './agency/index.js';
import { financePages } from './finance/index.js';
import type { Group, Page } from './page.js';

export const groups: readonly { readonly group: Group; readonly title: string }[] = [
  { group: 'top', title: '' },
  { group: 'buying', title: 'Buying' },
  { group: 'finance', title: 'Finance' },
  { group: 'market', title: 'Market' },
  { group: 'setup', title: 'Setup' },
];

/** Every page of the console. A new one is a line in the `index.ts` of its area and a file beside it. */
export const pages: readonly Page[] = [...agencyPages, ...financePages, ...adminPages];

const stepsOf = (path: string): readonly string[] => path.replace(/\/$/, '').split('/');
/** Paths with a parameter come last: `/sellers/new` is no seller. */
const byPattern = [...pages].sort((a, b) => Number(a.path.includes('$')) - Number(b.path.includes('$')));

/** The page of a path, by its pattern. */
export function pageAt(path: string): Page | undefined {
  const given = stepsOf(path.replace(/^\/console/, ''));
  return byPattern.find((page) => {
    const wanted = stepsOf(page.path);
    return (
      wanted.length === given.length && wanted.every((step, at) => step.startsWith('$') || step === given[at])
    );
  });
}

/** The line of the menu that a page belongs to, and its tabs; a page of one object belongs to the list before it. */
export function sectionOf(page: Page): { readonly head: Page; readonly tabs: readonly Page[] } {
  const list = page.inMenu
    ? page
    : (pages.find(({ path, inMenu }) => inMenu && page.path.startsWith(`${path}/`) && path !== '/') ??
      pages.find(({ path }) => path === page.of) ??
      page);
  const head = pages.find(({ path }) => path === list.of) ?? list;
  return {
    head,
    tabs: pages.filter(({ path, of, inMenu }) => inMenu && (path === head.path || of === head.path)),
  };
}
