import { Link } from '@tanstack/react-router';

/** One tab: a page, or a part of one that the address names. */
export interface Tab {
  readonly title: string;
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly isHere: boolean;
  readonly count?: number | undefined;
}

/** The tabs of a page. Each is a link, so that it can be sent and opened beside another. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  return (
    <nav className="tabs" aria-label={`${label}: parts`}>
      {tabs.map(({ title, to, search = {}, isHere, count }) => (
        <Link
          key={title}
          to={to}
          search={search}
          replace={to === '.'}
          resetScroll={false}
          // The path of another tab may begin with the path of this one.
          activeOptions={{ exact: true }}
          {...(isHere && { 'aria-current': 'page' as const })}
        >
          {title}
          {count !== undefined && <span className="count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
