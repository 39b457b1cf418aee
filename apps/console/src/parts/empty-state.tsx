import { Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

/** Shown if there is nothing here, with the next step. */
export function EmptyState({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <Paper withBorder p="lg" maw={640}>
      <Stack gap="xs">
        <Title order={2} size="h4">
          {title}
        </Title>
        <Text component="div">{children}</Text>
      </Stack>
    </Paper>
  );
}
