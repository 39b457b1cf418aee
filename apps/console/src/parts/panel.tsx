import type { ReactNode } from 'react';

/** A card of a page: its title, what it is about, a link or buttons, and its contents. */
export function Panel({
  title,
  about,
  acts,
  isFlush = false,
  id,
  children,
}: {
  /** Where a link on the same page leads. */
  readonly id?: string;
  readonly title: string;
  readonly about?: ReactNode;
  readonly acts?: ReactNode;
  /** True for tables and lists, which reach the edges. */
  readonly isFlush?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <section className="panel" aria-label={title} {...(id !== undefined && { id })}>
      <div className="panel-head">
        <h2>{title}</h2>
        {about !== undefined && <div className="panel-about">{about}</div>}
        {acts !== undefined && <div className="panel-acts">{acts}</div>}
      </div>
      <div className={isFlush ? 'panel-flush' : 'panel-body'}>{children}</div>
    </section>
  );
}

/** Names and values, one line each. Absent ones are left out. */
export function FactList({ of }: { readonly of: Readonly<Record<string, ReactNode>> }) {
  const rows = Object.entries(of).filter(
    ([, value]) => value !== undefined && value !== null && value !== false && value !== '',
  );
  return (
    <dl className="fact-list">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
