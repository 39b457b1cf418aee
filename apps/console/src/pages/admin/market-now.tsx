import { Loader } from '@mantine/core';
import { ErrorPanel } from '../../parts/error-panel.js';
import { Go } from '../../parts/go.js';
import { Panel } from '../../parts/panel.js';
import { SellerName } from '../../parts/seller-name.js';
import { useAnswer } from '../../parts/use-rows.js';
import { Health } from './sellers.js';

/** The sellers that need somebody, and how many answer as usual. */
export function MarketNow() {
  const failing = useAnswer('GET /v1/sellers', { query: { failing: 'true', figures: 'yes', limit: '8' } });
  const instance = useAnswer('GET /v1/instance');
  const rows = failing.data?.sellers ?? [];
  const all = instance.data?.sellers ?? 0;
  return (
    <Panel title="The market now" acts={<Go to="/sellers">{all === 1 ? '1 seller' : `${all} sellers`}</Go>}>
      {failing.isPending && <Loader role="status" size="sm" aria-label="Loading the sellers" />}
      {failing.isError && <ErrorPanel error={failing.error} again={() => void failing.refetch()} />}
      <ul className="market">
        {rows.map((seller) => (
          <li key={seller.slug}>
            <SellerName of={seller.slug} isLink />
            <Health seller={seller} />
          </li>
        ))}
        {failing.isSuccess && all > 0 && (
          <li className="as-usual">
            {all - rows.length} of {all} answer as usual
          </li>
        )}
      </ul>
    </Panel>
  );
}
