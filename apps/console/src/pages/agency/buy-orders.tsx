import { Button, Group } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { api, type Answer } from '../../api/client.js';
import { ErrorPanel } from '../../parts/error-panel.js';
import { ConfirmButton } from '../../parts/forms/confirm-button.js';
import { clean } from '../../parts/name.js';
import { Panel } from '../../parts/panel.js';
import { Quiet } from '../../parts/quiet.js';
import { saveBase64 } from '../../parts/save-base64.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { Time } from '../../parts/time.js';
import { usePages } from '../../parts/use-pages.js';
import { useMay } from '../../parts/use-rows.js';
import type { Buy } from './buy-actions.js';

type Order = Answer<'GET /v1/orders'>['orders'][number];

/** The insertion orders of a buy, version by version, with their files. */
export function BuyOrders({ buy: { media_buy_id: id } }: { readonly buy: Buy }) {
  const may = useMay();
  const pages = usePages('GET /v1/orders', 'orders', { media_buy_id: id });
  return (
    <Panel
      title="Insertion orders"
      about={pages.rows.length === 0 ? 'none yet' : undefined}
      acts={
        may('media_buys.write') && (
          <ConfirmButton
            label="Write down"
            size="compact-xs"
            variant="default"
            done="What is ordered is written down."
            act={() => api('POST /v1/orders', { body: { media_buy_id: id } })}
          >
            Each seller gets an order with a number, or a new version where something changed since the last
            one. Invoices that name the number are matched by it.
          </ConfirmButton>
        )
      }
    >
      <ul className="plain-list">
        {pages.rows.map((order) => (
          <OneOrder key={order.insertion_order_id} order={order} />
        ))}
      </ul>
    </Panel>
  );
}

function OneOrder({ order }: { readonly order: Order }) {
  const nameOf = useSellerNames();
  const [error, setError] = useState<unknown>();
  const { insertion_order_id: id, number, version, changes } = order;
  const save = async (format: 'pdf' | 'xlsx'): Promise<void> => {
    setError(undefined);
    try {
      const { file } = await api('GET /v1/orders/{id}/document', { params: { id }, query: { format } });
      if (file !== undefined) saveBase64(file.name, file.media_type, file.content);
    } catch (failure) {
      setError(failure);
    }
  };
  return (
    <li>
      <b>
        {clean(number, 20)}, version {version}
      </b>
      <Quiet>
        {clean(nameOf(order.seller), 60)}, <Time at={order.made_at} />
        {changes.length > 0 && `: ${clean(changes.join(' '), 300)}`}
      </Quiet>
      <Group gap="xs">
        {(['pdf', 'xlsx'] as const).map((format) => (
          <Button
            key={format}
            size="compact-xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            onClick={() => void save(format)}
          >
            {format.toUpperCase()}
          </Button>
        ))}
      </Group>
      {error !== undefined && <ErrorPanel error={error} />}
    </li>
  );
}
