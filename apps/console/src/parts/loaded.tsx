import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.js';
import { PageHead } from './page-head.js';

/** The page of one object: it has its title while the object is read, and where it cannot be read. */
export function Loaded<Data>({
  title,
  query,
  children,
}: {
  /** What kind of object it is: `Invoice`. */
  readonly title: string;
  readonly query: {
    readonly data: Data | undefined;
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly children: (data: Data) => ReactNode;
}) {
  const failure = query.error !== null && (
    <ErrorPanel error={query.error} again={() => void query.refetch()} />
  );
  // What is shown and typed stays where it cannot be read again.
  if (query.data !== undefined)
    return (
      <>
        {failure}
        {children(query.data)}
      </>
    );
  return (
    <>
      <PageHead title={title} />
      {query.isPending && <Loader role="status" aria-label={`Loading: ${title}`} />}
      {failure}
    </>
  );
}
