import type { ReactNode } from 'react';
import { Avatar } from './avatar.js';
import { useFilters } from './filters.js';
import { clean } from './name.js';
import { PageHead } from './page-head.js';
import type { Crumb } from './section.js';
import { Tabs } from './tabs.js';

/** The part of an object that the address names. */
export const useTab = (): string => useFilters()[0]['tab'] ?? 'Overview';

/**
 * The head of the page of one object: monogram, name, state, a line of facts, at most three buttons, and its tabs. The first
 * tab is shown at the address of the object itself.
 */
export function ObjectHead({
  name,
  title = clean(name, 80),
  avatar,
  isPerson = false,
  pill,
  facts,
  acts,
  parents,
  tabs = [],
}: {
  readonly name: string;
  readonly title?: ReactNode;
  /** Whose monogram stands before the name. */
  readonly avatar?: string | undefined;
  readonly isPerson?: boolean;
  readonly pill?: ReactNode;
  readonly facts: readonly ReactNode[];
  readonly acts?: ReactNode;
  readonly parents?: readonly Crumb[];
  readonly tabs?: readonly { readonly title: string; readonly count?: number | undefined }[];
}) {
  const tab = useTab();
  const shown = facts.filter((fact) => fact !== undefined && fact !== null && fact !== false && fact !== '');
  return (
    <>
      <PageHead
        name={name}
        {...(parents !== undefined && { parents })}
        avatar={avatar === undefined ? undefined : <Avatar of={avatar} size={44} isPerson={isPerson} />}
        title={title}
        beside={pill}
        actions={acts}
      >
        <span className="facts-line">
          {shown.map((fact, at) => (
            <span key={at}>{fact}</span>
          ))}
        </span>
      </PageHead>
      {tabs.length > 1 && (
        <Tabs
          label={clean(name, 80)}
          tabs={tabs.map(({ title: own, count }, at) => ({
            title: own,
            count,
            to: '.',
            search: at === 0 ? {} : { tab: own },
            isHere: own === tab || (at === 0 && tab === 'Overview'),
          }))}
        />
      )}
    </>
  );
}
