import { Group, Stack, Text, Title } from '@mantine/core';
import { useEffect, type ReactNode } from 'react';
import { clean } from './name.js';

/** The title of a page, its question, and its actions. */
export function PageHead({
  title,
  name = typeof title === 'string' ? title : undefined,
  children,
  actions,
}: {
  readonly title: ReactNode;
  /** The same as plain text, for the tab of the browser. */
  readonly name?: string | undefined;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}) {
  useEffect(() => {
    if (name !== undefined) document.title = `${clean(name, 80)} - Switchyard`;
  }, [name]);
  return (
    <Group justify="space-between" align="flex-start" mb="md">
      <Stack gap={2}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {children !== undefined && (
          <Text c="dimmed" component="div">
            {children}
          </Text>
        )}
      </Stack>
      {actions !== undefined && <Group gap="xs">{actions}</Group>}
    </Group>
  );
}
