import { useParams } from '@tanstack/react-router';
import { useInfiniteQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { isObject } from '../../api/task.js';
import { DataTable, type Column } from '../../parts/data-table.js';
import { EmptyState } from '../../parts/empty-state.js';
import { Go } from '../../parts/go.js';
import { Id } from '../../parts/id.js';
import { Money } from '../../parts/money.js';
import { clean } from '../../parts/name.js';
import { SellerName } from '../../parts/seller-name.js';
import { PageHead } from '../../parts/page-head.js';
import { Time } from '../../parts/time.js';
import type { Answer } from '../../api/client.js';
import { BuyLink } from '../agency/buy-link.js';

type Entry = Answer<'GET /v1/ledger/entries/{id}'>['entries'][number];

const columns: readonly Column<Entry>[] = [
  { title: 'Time', cell: ({ occurred_at: at }) => <Time at={at} /> },
  { title: 'Entry', cell: ({ kind }) => clean(kind).replaceAll('_', ' ') },
  { title: 'Seller', cell: ({ seller }) => <SellerName of={seller} /> },
  {
    title: 'Postings',
    cell: ({ postings }) =>
      postings.length === 0
        ? '–'
        : postings.map((posting, at) => (
            <div key={at}>
              {clean(posting.account).replaceAll('_', ' ')}{' '}
              <Money amount={posting.amount} currency={posting.currency} />
            </div>
          )),
  },
  {
    title: 'Evidence',
    cell: ({ facts: { report } }) =>
      isObject(report) && typeof report['event_id'] === 'string' ? (
        <Go to="/webhooks" search={{ id: report['event_id'] }}>
          The report
        </Go>
      ) : (
        '–'
      ),
  },
  { title: 'Entry id', cell: ({ entry_id: id }) => <Id of={id} short /> },
  { title: 'Hash', cell: ({ hash }) => <Id of={hash} short /> },
];

/** Every entry of the ledger about one buy: the evidence of its spend. */
export function EntriesPage() {
  const { id } = useParams({ strict: false }) as { readonly id: string };
  const query = useInfiniteQuery({
    queryKey: ['ledger', 'entries', id],
    queryFn: ({ pageParam, signal }) =>
      api('GET /v1/ledger/entries/{id}', {
        params: { id },
        query: pageParam === '' ? {} : { cursor: pageParam },
        signal,
      }),
    initialPageParam: '',
    getNextPageParam: (last) => last.next_cursor,
  });
  const rows = (query.data?.pages ?? []).flatMap(({ entries }) => entries);
  return (
    <>
      <PageHead title="Ledger entries of a buy">
        Entries of <BuyLink id={id} />, <Id of={id} />.
      </PageHead>
      <DataTable
        label="Ledger entries"
        pages={{ ...query, rows }}
        columns={columns}
        empty={
          <EmptyState title="The ledger has no entry of this buy">
            Is the id right? <Go to="/reports">Back to spend</Go>
          </EmptyState>
        }
      />
    </>
  );
}
