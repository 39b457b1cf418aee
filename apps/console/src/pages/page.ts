import { lazyRouteComponent } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';

export type Area = 'agency' | 'finance' | 'admin';

/** One page. Its file is loaded when it is first opened. */
export interface Page {
  /** Below `/console`; `$id` is a parameter. */
  readonly path: string;
  readonly title: string;
  readonly area: Area;
  /** The permission that its main list needs; if absent, a session is enough. */
  readonly needs?: string;
  /** Whether it is in the navigation; pages of one object are not. */
  readonly inMenu: boolean;
  /** Additional search words for the palette. */
  readonly words?: string;
  readonly component: FunctionComponent;
}

interface Shown {
  readonly path: string;
  readonly title: string;
  readonly needs?: string;
  readonly words?: string;
  readonly hidden?: true;
}

/**
 * Declares a page of an area: `page({ path: '/buys', title: 'Buys' }, () => import('./buys.js'), 'BuysPage')`. The module
 * exports the component under that name.
 */
export function pagesOf(area: Area) {
  return <Module extends Record<string, unknown>>(
    { hidden, ...shown }: Shown,
    load: () => Promise<Module>,
    name: keyof Module & string,
  ): Page => ({
    ...shown,
    area,
    inMenu: hidden !== true,
    component: lazyRouteComponent(
      load as () => Promise<Record<string, FunctionComponent>>,
      name,
    ) as FunctionComponent,
  });
}
