import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';

/** A link inside the console, by a path below `/console` with its parameters, and the query after `?`. */
export function Go({
  to,
  search,
  children,
  ...rest
}: {
  readonly to: string;
  readonly search?: Readonly<Record<string, string>>;
  readonly children: ReactNode;
  readonly 'aria-label'?: string;
}) {
  return (
    <Link to={to} search={search ?? {}} className="row-link" {...rest}>
      {children}
    </Link>
  );
}
