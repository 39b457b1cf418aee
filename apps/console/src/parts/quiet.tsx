import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The second line of a cell. */
export function Quiet({
  isOneLine = false,
  children,
}: {
  /** True where it is short, and would make the row higher. */
  readonly isOneLine?: boolean;
  readonly children: ReactNode;
}) {
  return (
    <Text size="xs" c="dimmed" component="div" {...(isOneLine && { style: { whiteSpace: 'nowrap' } })}>
      {children}
    </Text>
  );
}
