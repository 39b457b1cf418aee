import { Go } from '../../parts/go.js';
import { clean, Name } from '../../parts/name.js';
import { useAnswer } from '../../parts/use-rows.js';
import { buyText } from './buy-status.js';

/** A link to a buy, by its usual name; by its id if it may not be read. */
export function BuyLink({ id }: { readonly id: string }) {
  const { data } = useAnswer('GET /v1/buys/{id}', { params: { id } });
  return <NamedBuy id={id} name={data === undefined ? id : buyText(data)} />;
}

/** The link under a known name. */
export function NamedBuy({ id, name }: { readonly id: string; readonly name: string }) {
  return (
    <Go to={`/buys/${encodeURIComponent(id)}`}>
      <span title={clean(id)}>
        <Name of={name} most={80} />
      </span>
    </Go>
  );
}
