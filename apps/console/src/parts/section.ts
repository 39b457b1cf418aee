import { createContext, useSyncExternalStore } from 'react';

/** The page that is open, among the tabs of its section. */
export interface Section {
  readonly title: string;
  /** The tab that is open. */
  readonly tab: string;
  readonly path: string;
  /** What the person may open, in the order of the menu. */
  readonly tabs: readonly { readonly path: string; readonly title: string }[];
}

/** Absent on the page of an object, which has a title of its own. */
export const OpenSection = createContext<Section | undefined>(undefined);

/** A step of the way to a page, that is shown above it. */
export interface Crumb {
  readonly title: string;
  readonly to?: string;
  readonly search?: Readonly<Record<string, string>>;
}

let crumbs: readonly Crumb[] = [];
const listeners = new Set<() => void>();

/** Sets the way to the page that is open. */
export function setCrumbs(next: readonly Crumb[]): void {
  crumbs = next;
  for (const listener of listeners) listener();
}

export const useCrumbs = (): readonly Crumb[] =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => crumbs,
  );
