import { Anchor, Button, Group, Loader, Table, Text } from '@mantine/core';
import {
  FlexRender,
  createColumnHelper,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { NoRows } from './empty-state.js';
import { ErrorPanel } from './error-panel.js';
import { micros } from './money.js';
import { PeekPanel, usePeek, type Peek } from './peek.js';
import { useIsPrinting } from './print.js';
import { csvText, saveFile } from './save-file.js';

const features = tableFeatures({});

/** One column: its title, and the contents of its cells. */
export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => ReactNode;
  readonly isNumber?: boolean;
  /** True for sentences: the column is wide, and wraps. */
  readonly isText?: boolean;
  /** The plain text of a cell, by which rows are sorted and exported. A number is decimal text. */
  readonly text?: (row: Row) => string | null | undefined;
  /** The currency of a number; it is exported as a column of its own. */
  readonly unit?: (row: Row) => string | null | undefined;
}

const classOf = (
  column: { readonly title: string; readonly isNumber?: boolean; readonly isText?: boolean } | undefined,
): string => {
  if (column?.isNumber === true) return 'number';
  if (column?.isText === true) return 'words';
  // Buttons stay in sight where the table is wider than the window.
  return column?.title === 'Act' ? 'act' : '';
};

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

const rowHeight = 51;

/**
 * A table of `usePages`. Only visible rows are in the document, and the next page is requested before its first row is
 * visible, so that a list of 100,000 rows never shows a blank.
 */
export function DataTable<Row>({
  label,
  pages,
  columns,
  groupOf,
  peek,
  empty,
}: {
  /** What the rows are, for screen readers. */
  readonly label: string;
  readonly pages: Pages<Row>;
  readonly columns: readonly Column<Row>[];
  /** The title above the rows of a group, which follow one another; not shown while the rows are sorted by a column. */
  readonly groupOf?: (row: Row) => string;
  /** Space on the name of a row shows it in a panel beside the list. */
  readonly peek?: Peek<Row>;
  readonly empty: ReactNode;
}) {
  const box = useRef<HTMLDivElement>(null);
  const peeked = usePeek();
  const defined = useMemo(() => definitions(columns), [columns]);
  const [order, setOrder] = useState<Order>();
  const [isExporting, setExporting] = useState(false);
  // Rows that were not read yet cannot be put in order.
  const canSort = !pages.hasNextPage;
  const data = useMemo(
    () => (canSort ? sorted(pages.rows, columns, order) : pages.rows) as Row[],
    [pages.rows, columns, order, canSort],
  );
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
    if (pages.isError) setExporting(false);
    else if (pages.hasNextPage && !pages.isFetchingNextPage && (isExporting || last >= rows.length - 40))
      void pages.fetchNextPage();
    else if (isExporting && !pages.hasNextPage) {
      setExporting(false);
      saveFile(`${label.toLowerCase().replaceAll(/\W+/g, '-')}.csv`, 'text/csv', csvOf(data, columns));
    }
  }, [last, rows.length, pages, isExporting]);
  if (pages.isPending) return <Loader role="status" aria-label={`Loading ${label}`} />;
  if (pages.isError && rows.length === 0)
    return <ErrorPanel error={pages.error} again={() => void pages.refetch()} />;
  if (rows.length === 0) return <NoRows empty={empty} />;
  const shown = peek === undefined ? undefined : data.find((row) => peek.idOf(row) === peeked.id);
  const above = inSight[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (inSight.at(-1)?.end ?? 0);
  return (
    <>
      <div
        ref={box}
        className="table-scroll"
        tabIndex={0}
        role="region"
        aria-label={label}
        {...(peek !== undefined && {
          onKeyDown: (event) => {
            const row = event.key === ' ' ? data[rowAt(event.target)] : undefined;
            if (row === undefined) return;
            event.preventDefault();
            peeked.open(peek.idOf(row));
          },
        })}
        // Going back finds the place again.
        data-scroll-restoration-id={label}
      >
        <Table
          className="stacks virtual"
          highlightOnHover
          aria-rowcount={pages.hasNextPage ? -1 : rows.length + 1}
        >
          <Table.Thead>
            <Table.Tr>
              {columns.map((column) => (
                <Table.Th
                  key={column.title}
                  className={classOf(column)}
                  {...(order?.title === column.title &&
                    canSort && {
                      'aria-sort': order.isDown ? ('descending' as const) : ('ascending' as const),
                    })}
                >
                  {canSort && column.text !== undefined ? (
                    <button type="button" className="sort" onClick={() => setOrder(nextOrder(order, column))}>
                      {column.title}
                      <span aria-hidden="true">
                        {order?.title === column.title ? (order.isDown ? ' ↓' : ' ↑') : ''}
                      </span>
                    </button>
                  ) : (
                    column.title
                  )}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {above > 0 && <Gap height={above} />}
            {inSight.map(({ index }) => {
              const row = rows[index];
              if (row === undefined) return undefined;
              const group = order === undefined ? groupOf?.(row.original) : undefined;
              const before = rows[index - 1];
              const isFirst =
                group !== undefined && (before === undefined || groupOf?.(before.original) !== group);
              return (
                <Table.Tr
                  key={row.id}
                  data-index={index}
                  {...(isFirst && { className: 'first-of-group' })}
                  ref={virtual.measureElement}
                  aria-rowindex={index + 2}
                >
                  {row.getAllCells().map((cell, at) => (
                    <Table.Td key={cell.id} className={classOf(columns[at])} data-title={columns[at]?.title}>
                      {isFirst && at === 0 && <span className="group-title">{group}</span>}
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
      {peek !== undefined && shown !== undefined && (
        <PeekPanel row={shown} peek={peek} facts={factsOf(columns, shown)} onClose={peeked.close} />
      )}
      {pages.isError && <ErrorPanel error={pages.error} again={() => void pages.refetch()} />}
      <Group justify="space-between" mt={4}>
        <Text size="xs" c="dimmed" role="status">
          {isExporting && 'Reading all of them for the export: '}
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
        {columns.some((column) => column.text !== undefined) && (
          <Button
            className="on-screen"
            size="compact-xs"
            variant="subtle"
            loading={isExporting}
            onClick={() => setExporting(true)}
            aria-label={`Export as CSV: ${label}`}
          >
            Export as CSV
          </Button>
        )}
      </Group>
    </>
  );
}

/** The place of the row whose name has the focus; -1 for buttons, which Space presses. */
function rowAt(target: EventTarget): number {
  if (!(target instanceof HTMLElement) || !target.matches('a')) return -1;
  return Number(target.closest('tr')?.dataset['index'] ?? -1);
}

/** The cells of a row under the titles of their columns; its name is the title of the panel. */
const factsOf = <Row,>(columns: readonly Column<Row>[], row: Row): Readonly<Record<string, ReactNode>> =>
  Object.fromEntries(columns.slice(1).map(({ title, cell }) => [title, cell(row)]));

interface Order {
  readonly title: string;
  readonly isDown: boolean;
}

/** Numbers come largest first, texts from A; a second press turns the order around, a third one ends it. */
function nextOrder<Row>(now: Order | undefined, { title, isNumber = false }: Column<Row>): Order | undefined {
  if (now?.title !== title) return { title, isDown: isNumber };
  return now.isDown === isNumber ? { title, isDown: !isNumber } : undefined;
}

function sorted<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  order: Order | undefined,
): readonly Row[] {
  const column = columns.find(({ title }) => title === order?.title);
  const text = column?.text;
  if (order === undefined || text === undefined) return rows;
  const compare = (a: Row, b: Row): number => {
    const [one, other] = [text(a) ?? '', text(b) ?? ''];
    if (column?.isNumber !== true) return one.localeCompare(other, 'en', { numeric: true });
    // Amounts of different currencies are not compared.
    const byUnit = (column.unit?.(a) ?? '').localeCompare(column.unit?.(b) ?? '');
    if (byUnit !== 0) return order.isDown ? -byUnit : byUnit;
    const difference = (micros(one) ?? 0n) - (micros(other) ?? 0n);
    return difference < 0n ? -1 : difference > 0n ? 1 : 0;
  };
  return rows.toSorted((a, b) => (order.isDown ? compare(b, a) : compare(a, b)));
}

function csvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const cells = columns.flatMap(({ title, text, unit }) =>
    text === undefined
      ? []
      : [{ title, text }, ...(unit === undefined ? [] : [{ title: `${title}, currency`, text: unit }])],
  );
  return csvText([
    cells.map(({ title }) => title),
    ...rows.map((row) => cells.map(({ text }) => text(row) ?? '')),
  ]);
}

function definitions<Row>(columns: readonly Column<Row>[]) {
  const helper = createColumnHelper<typeof features, never>();
  // By place: a table with an empty id for a column ends in an error.
  return columns.map(({ title, cell }, at) =>
    helper.display({ id: String(at), header: title, cell: ({ row }) => cell(row.original) }),
  ) as ColumnDef<typeof features, never>[];
}

function Gap({ height }: { readonly height: number }) {
  return (
    <tr aria-hidden="true">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );
}
