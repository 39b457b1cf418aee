import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.js';
import { Go } from '../../parts/go.js';
import { clean, Name } from '../../parts/name.js';
import { useMay } from '../../parts/use-rows.js';
import { useBuyText, type Called } from './buy-status.js';

/** The ids of the buys that the next request reads together. */
let batch: { readonly ids: Set<string>; readonly names: Promise<ReadonlyMap<string, Called>> } | undefined;
/** The most ids that the route takes at once. */
const most = 100;

/** A link to a buy, by its usual name; by its id if it may not be read. */
export function BuyLink({ id }: { readonly id: string }) {
  return <NamedBuy id={id} name={useBuyName(id)} />;
}

/** The usual name of a buy, with its id on hover. */
export function BuyName({ id }: { readonly id: string }) {
  const name = useBuyName(id);
  return (
    <span title={clean(id)}>
      <Name of={name} most={80} />
    </span>
  );
}

function useBuyName(id: string): string {
  const enabled = useMay()('media_buys.read');
  const nameOf = useBuyText();
  const { data } = useQuery({ queryKey: ['buys', 'name', id], queryFn: () => calledOf(id), enabled });
  return data === undefined || data === null ? id : nameOf(data);
}

async function calledOf(id: string): Promise<Called | null> {
  if (batch === undefined || batch.ids.size >= most) {
    const ids = new Set<string>();
    const names = new Promise<void>((resolve) => window.setTimeout(resolve)).then(async () => {
      if (batch?.ids === ids) batch = undefined;
      const query = { ids: [...ids].join(','), limit: String(most) };
      const { media_buys: buys } = await api('GET /v1/buys', { query });
      return new Map(buys.map((buy) => [buy.media_buy_id, buy]));
    });
    batch = { ids, names };
  }
  batch.ids.add(id);
  return (await batch.names).get(id) ?? null;
}

/** The link to a buy that is known. */
export function LinkToBuy({ buy }: { readonly buy: Called & { readonly media_buy_id: string } }) {
  const nameOf = useBuyText();
  return <NamedBuy id={buy.media_buy_id} name={nameOf(buy)} />;
}

/** The link under a known name. */
function NamedBuy({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Go to={`/buys/${encodeURIComponent(id)}`}>
      <span title={clean(id)}>
        <Name of={name} most={80} />
      </span>
    </Go>
  );
}
