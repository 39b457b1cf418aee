import { IconAlertTriangle, IconArrowsExchange } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { Go } from '../../parts/go.js';
import { decimal, micros, moneyText, sumText } from '../../parts/money.js';
import { clean, Name } from '../../parts/name.js';
import { useSellerNames } from '../../parts/seller-name.js';
import { Time } from '../../parts/time.js';
import { useMay } from '../../parts/use-rows.js';
import type { Buy } from './buy-actions.js';

/** What a buy lacks, above its figures. */
export function BuyBanners({ buy }: { readonly buy: Buy }) {
  const lacks =
    micros(buy.not_placed) !== 0n || buy.sellers.some(({ status }) => status === 'pending_creatives');
  return (
    <>
      {lacks && <NotPlaced buy={buy} />}
      {buy.impairments.map((impairment) => (
        <Impairment key={`${impairment.reason} ${impairment.observed_at ?? ''}`} buy={buy} of={impairment} />
      ))}
    </>
  );
}

/** What was ordered and does not run anywhere, in money, with what can be done about it. */
function NotPlaced({ buy }: { readonly buy: Buy }) {
  const may = useMay();
  const nameOf = useSellerNames();
  const refused = buy.sellers.filter(({ status, has_taken_it: has }) => status === 'rejected' && !has);
  const isOver = refused.length === buy.sellers.length;
  const waits = buy.sellers.filter(({ status }) => status === 'pending_creatives');
  const waiting = sumText(
    buy.packages
      .filter(({ seller }) => waits.some((one) => one.seller === seller))
      .map(({ current_budget: budget }) => budget),
  );
  const still = decimal((micros(buy.not_placed) ?? 0n) + (micros(waiting) ?? 0n));
  return (
    <div className="banner" data-tone="warn" role="note">
      <IconAlertTriangle size={18} stroke={1.7} aria-hidden="true" />
      <div>
        <b>
          {moneyText(still)} of {moneyText(buy.total_budget, buy.currency)} do not run.
        </b>{' '}
        {waits.length > 0 &&
          `${waits.map(({ seller }) => clean(nameOf(seller), 60)).join(', ')} ${waits.length === 1 ? 'waits' : 'wait'} for a creative (${moneyText(waiting)})${refused.length > 0 ? ', ' : '.'}`}
        {refused.length > 0 &&
          `${refused.map(({ seller }) => clean(nameOf(seller), 60)).join(', ')} refused${isOver ? ' the whole buy' : ` (${moneyText(buy.not_placed)})`}.`}
      </div>
      {may('media_buys.write') && waits.length > 0 && (
        <Link to="." search={{ tab: 'Creatives' }} className="second-act">
          Assign creatives
        </Link>
      )}
      {may('media_buys.write') && may('products.read') && micros(buy.not_placed) !== 0n && (
        <Link to="/ask" search={{ from: buy.media_buy_id }} className="second-act">
          <IconArrowsExchange size={15} stroke={1.7} aria-hidden="true" /> Place elsewhere
        </Link>
      )}
    </div>
  );
}

function Impairment({ buy, of }: { readonly buy: Buy; readonly of: Buy['impairments'][number] }) {
  return (
    <div className="banner" data-tone="warn" role="note">
      <IconAlertTriangle size={18} stroke={1.7} aria-hidden="true" />
      <div>
        <b>
          <Name of={of.reason} most={300} />
        </b>{' '}
        {of.remediation !== undefined && <Name of={of.remediation} most={600} />}{' '}
        {of.package_ids.length === 0 ? (
          'It affects the whole buy'
        ) : (
          <>
            Affected lines: <Name of={of.package_ids.join(', ')} most={300} />
          </>
        )}
        , since <Time at={of.observed_at} />.{' '}
        <Go to="/creatives" search={{ media_buy_id: buy.media_buy_id }}>
          Creatives of this buy
        </Go>
      </div>
    </div>
  );
}
