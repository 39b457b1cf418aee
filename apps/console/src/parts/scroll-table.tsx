import { Table, type TableProps } from '@mantine/core';

/** A table that scrolls sideways where it is wider than the page, also with the keyboard. */
export function ScrollTable({ label, ...table }: TableProps & { readonly label: string }) {
  return (
    <div className="table-scroll" tabIndex={0} role="region" aria-label={label}>
      <Table {...table} />
    </div>
  );
}
