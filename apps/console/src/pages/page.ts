import { lazyRouteComponent, type AsyncRouteComponent } from '@tanstack/react-router';
import type { ComponentType, FunctionComponent } from 'react';
import { send } from '../api/client.js';

/** A group of the menu. `top` has no title; the others fold. */
export type Group = 'top' | 'buying' | 'finance' | 'market' | 'setup';

/** One page. Its file is loaded when it is first opened. */
export interface Page {
  /** Below `/console`; `$id` is a parameter. */
  readonly path: string;
  readonly title: string;
  readonly group: Group;
  /** The permission that its main list needs; if absent, a session is enough. */
  readonly needs?: string;
  /** Whether it is a line of the menu or a tab of one; pages of one object are not. */
  readonly inMenu: boolean;
  /** Additional search words for the palette. */
  readonly words?: string;
  /** The sign beside its line of the menu; a page without one is no line. */
  readonly icon?: ComponentType<{ readonly size?: number; readonly stroke?: number }>;
  /** Its name among the tabs of its section. */
  readonly tab?: string;
  /** The path of the page that it is a tab of. */
  readonly of?: string;
  readonly component: AsyncRouteComponent<object>;
}

interface Shown extends Pick<Page, 'path' | 'title' | 'needs' | 'words' | 'icon' | 'tab' | 'of'> {
  readonly hidden?: true;
}

/**
 * Declares a page of a group: `page({ path: '/buys', title: 'Buys' }, () => import('./buys.js'), 'BuysPage')`. The module
 * exports the component under that name.
 */
export function pagesOf(group: Group) {
  return <Module extends Record<string, unknown>>(
    { hidden, ...shown }: Shown,
    load: () => Promise<Module>,
    name: keyof Module & string,
  ): Page => ({
    ...shown,
    group,
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
