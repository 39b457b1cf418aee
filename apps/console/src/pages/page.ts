import { lazyRouteComponent, type AsyncRouteComponent } from '@tanstack/react-router';
import type { FunctionComponent } from 'react';
import { send } from '../api/client.js';

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
  readonly component: AsyncRouteComponent<object>;
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
    component: lazyRouteComponent(loaderOf(load as () => Promise<Record<string, FunctionComponent>>), name),
  });
}

/**
 * The router reloads the console where the file of a page is missing, because a newer release has other files. It must
 * not where the server does not answer: the browser would have nothing to show, and what was typed would be lost.
 */
const loaderOf =
  <Module>(load: () => Promise<Module>) =>
  async (): Promise<Module> => {
    try {
      return await load();
    } catch (error) {
      await send('/console/', {}, { method: 'GET' });
      throw error;
    }
  };
