import { use, useEffect, type ReactNode } from 'react';
import { Tabs } from './tabs.js';
import { clean } from './name.js';
import { OpenSection, setCrumbs, type Crumb } from './section.js';

const none: readonly Crumb[] = [];

/** The title of a page, what it is for, its actions, and the tabs of its section. */
export function PageHead({
  title,
  name = typeof title === 'string' ? title : undefined,
  parents = none,
  avatar,
  beside,
  children,
  actions,
}: {
  readonly title: ReactNode;
  /** The same as plain text, for the tab of the browser. */
  readonly name?: string | undefined;
  /** The way to the page of an object, after its list: a client, a campaign. */
  readonly parents?: readonly Crumb[];
  /** A monogram before the title. */
  readonly avatar?: ReactNode;
  /** A state beside the title. */
  readonly beside?: ReactNode;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  const section = use(OpenSection);
  const tabs = section?.tabs ?? [];
  const hasTabs = section !== undefined;
  const shown = hasTabs ? section.title : title;
  useEffect(() => {
    if (name === undefined) return undefined;
    document.title = `${clean(name, 80)} - Switchyard`;
    setCrumbs(
      hasTabs && section.tab !== section.title
        ? [...parents, { title: section.tab }]
        : [...parents, { title: clean(name, 80) }],
    );
    return () => setCrumbs(none);
  }, [name, hasTabs, section?.tab, JSON.stringify(parents)]);
  return (
    <>
      <div className="page-head">
        <div className="object-head">
          {avatar}
          <div>
            <div className="object-title">
              <h1>{shown}</h1>
              {beside}
            </div>
            {children !== undefined && <div className="page-about">{children}</div>}
          </div>
        </div>
        {actions !== undefined && actions !== false && <div className="page-acts">{actions}</div>}
      </div>
      {hasTabs && (
        <Tabs
          label={section.title}
          tabs={tabs.map(({ path, title: tab }) => ({ title: tab, to: path, isHere: path === section.path }))}
        />
      )}
    </>
  );
}
