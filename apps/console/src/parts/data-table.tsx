import { Anchor, Loader, Table, Text } from '@mantine/core';
import {
  FlexRender,
  createColumnHelper,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, type ReactNode } from 'react';
import { ErrorPanel } from './error-panel.js';
import { useIsPrinting } from './print.js';

const features = tableFeatures({});

/** One column: its title, and the contents of its cells. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** True for sentences: the column is wide, and wraps. */
  readonly isText?: boolean;
}

const classOf = (column: { readonly isNumber?: boolean; readonly isText?: boolean } | undefined): string =>
  column?.isNumber === true ? 'number' : column?.isText === true ? 'words' : '';

interface Pages<Row> {
  readonly rows: readonly Row[];
  readonly isPending: boolean;
  readonly isError: boolean;
  readonly error: unknown;
  readonly hasNextPage: boolean;
  readonly isFetchingNextPage: boolean;
  readonly fetchNextPage: () => unknown;
  readonly refetch: () => unknown;
  readonly isOutdated?: boolean;
  readonly readAgain?: () => unknown;
}

const rowHeight = 44;

/**
 * A table of `usePages`. Only visible rows are in the document, and the next page is requested before its first row is
 * visible, so that a list of 100,000 rows never shows a blank.
 */
export function DataTable<Row>({
  label,
  pages,
  columns,
  empty,
}: {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly pages: Pages<Row>;
  readonly columns: readonly Column<Row>[];
  readonly empty: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const defined = useMemo(() => definitions(columns), [columns]);
  const data = pages.rows as Row[];
  const table = useTable({ features, columns: defined, data: data as never[] });
  const rows = table.getRowModel().rows;
  const isPrinting = useIsPrinting();
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    // Paper has no scrolling: all that was read is drawn, as far as that is bearable.
    overscan: isPrinting ? 2_000 : 12,
  });
  const inSight = virtual.getVirtualItems();
  const last = inSight.at(-1)?.index ?? 0;
  useEffect(() => {
    if (pages.hasNextPage && !pages.isFetchingNextPage && last >= rows.length - 40)
      void pages.fetchNextPage();
  }, [last, rows.length, pages]);
  if (pages.isPending) return <Loader role="status" aria-label={`Loading ${label}`} />;
  if (pages.isError && rows.length === 0)
    return <ErrorPanel error={pages.error} again={() => void pages.refetch()} />;
  if (rows.length === 0) return empty;
  const above = inSight[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0);
  return (
    <>
      <div ref={box} className="table-scroll" tabIndex={0} role="region" aria-label={label}>
        <Table highlightOnHover aria-rowcount={pages.hasNextPage ? -1 : rows.length + 1}>
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th key={column.title} className={classOf(column)}>
                  {column.title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {above > 0 && <Gap height={above} />}
            {inSight.map(({ index }) => {
              const row = rows[index];
              return row === undefined ? undefined : (
                <Table.Tr
                  key={row.id}
                  data-index={index}
                  ref={virtual.measureElement}
                  aria-rowindex={index + 2}
                >
                  {row.getAllCells().map((cell, at) => (
                    <Table.Td key={cell.id} className={classOf(columns[at])}>
                      <FlexRender cell={cell} />
                    </Table.Td>
                  ))}
                </Table.Tr>
              );
            })}
            {below > 0 && <Gap height={below} />}
          </Table.Tbody>
        </Table>
      </div>
      <Text size="xs" c="dimmed" mt={4} role="status">
        {pages.hasNextPage ? `${rows.length} so far; more come as you scroll` : `${rows.length} in all`}
        {pages.isOutdated === true && (
          <>
            . Something changed since.{' '}
            <Anchor component="button" type="button" size="xs" onClick={() => void pages.readAgain?.()}>
              Read it again from the top
            </Anchor>
          </>
        )}
      </Text>
    </>
  );
}

function definitions<Row>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, never>();
  return columns.map(({ title, cell }) =>
    helper.display({ id: title, header: title, cell: ({ row }) => cell(row.original) }),
  ) as ColumnDef<typeof features, never>[];
}

function Gap({ height }: { readonly height: number }) {
  return (
    <tr aria-hidden="true">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
