import { Drawer } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFilters } from './filters.js';
import { Go } from './go.js';
import { FactList } from './panel.js';

/** What a list shows of one row in the panel beside it. */
export interface Peek<Row> {
  readonly idOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  /** The page of the object. */
  readonly toOf: (row: Row) => string;
  /** More than the cells of the row. */
  readonly more?: (row: Row) => ReactNode;
}

/** The row that the address names as `?peek=`, and how to open and leave it. */
export function usePeek() {
  const [filters, set] = useFilters();
  return {
    id: filters['peek'],
    open: (id: string) => set({ peek: id }),
    close: () => set({ peek: undefined }),
  };
}

/** One row of a list beside it: all that the list knows of it, and the way to its page. Escape closes it. */
export function PeekPanel<Row>({
  row,
  peek,
  facts,
  onClose,
}: {
  readonly row: Row;
  readonly peek: Peek<Row>;
  readonly facts: Readonly<Record<string, ReactNode>>;
  readonly onClose: () => void;
}) {
  const name = peek.nameOf(row);
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={356}
      title={name}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <FactList of={facts} />
      {peek.more?.(row)}
      <p>
        <Go to={peek.toOf(row)}>Open the page</Go>
      </p>
    </Drawer>
  );
}
