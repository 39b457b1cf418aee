import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorPanel } from './error-panel.js';

/**
 * What a panel without rows says: that they are being read, that they cannot be read, and only after an answer that there
 * are none.
 */
export function NoneYet({
  query,
  children,
}: {
  readonly query: {
    readonly isPending: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  readonly children: ReactNode;
}) {
  if (query.error !== null) return <ErrorPanel error={query.error} again={() => void query.refetch()} />;
  if (!query.isPending) return <p className="panel-note">{children}</p>;
  return (
    <p className="panel-note">
      <Loader size="xs" role="status" aria-label="Loading" />
    </p>
  );
}
