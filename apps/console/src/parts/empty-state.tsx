import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from './filters.js';

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

/** Members of an address that choose what is shown beside a list, and none of its rows. */
const noFilters: ReadonlySet<string> = new Set(['tab', 'peek', 'at', 'view', 'principal', 'team', 'sort']);

/** A list without rows: nothing is there yet, or nothing fits the filters of the address, which can be cleared. */
export function NoRows({ empty }: { readonly empty: ReactNode }) {
  const [filters, set] = useFilters();
  const used = Object.keys(filters).filter(
    (name) => !noFilters.has(name) && filters[name] !== '' && filters[name] !== 'all',
  );
  if (used.length === 0) return empty;
  return (
    <EmptyState title="Nothing under these filters">
      <Button
        variant="default"
        size="xs"
        onClick={() => set(Object.fromEntries(used.map((name) => [name, undefined])))}
      >
        Clear filters
      </Button>
    </EmptyState>
  );
}

/** What somebody may not see or do here, the permission that it needs, and who can grant it. */
export function MayNot({ what, needs }: { readonly what: string; readonly needs: string | undefined }) {
  return (
    <EmptyState title={`You may not ${what}`}>
      It needs the permission {needs}. Who manages people and access can give you a role that has it.
    </EmptyState>
  );
}
