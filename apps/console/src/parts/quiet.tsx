import { Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** The second line of a cell. */
export function Quiet({ children }: { readonly children: ReactNode }) {
  return (
    <Text size="xs" c="dimmed" component="div">
      {children}
    </Text>
  );
}
