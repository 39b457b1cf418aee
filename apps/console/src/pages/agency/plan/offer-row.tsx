import { Button } from '@mantine/core';
import {
  IconAd,
  IconDeviceTv,
  IconHeadphones,
  IconPhoto,
  IconStar,
  IconStarFilled,
  IconVideo,
} from '@tabler/icons-react';
import { Go } from '../../../parts/go.js';
import { micros, Money, moneyText, shortText } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { SellerName, useSellerNames } from '../../../parts/seller-name.js';
import { dropLine, isIn, putLine, useBasket } from './basket.js';
import type { Offer } from './offers.js';
import { impressionsOf } from './plan-lines.js';
import { shareOf, type Match } from './wishes.js';

function ChannelIcon({ channels }: Pick<Offer, 'channels'>) {
  const all = channels.join(' ');
  const Icon = /ctv|tv/.test(all)
    ? IconDeviceTv
    : /video|olv/.test(all)
      ? IconVideo
      : /audio|radio|podcast/.test(all)
        ? IconHeadphones
        : all.includes('display')
          ? IconPhoto
          : IconAd;
  return (
    <span className="offer-icon">
      <Icon size={18} stroke={1.7} aria-hidden="true" />
    </span>
  );
}

/** One offer: what it is, how it meets the wishes, its price and what that buys. */
export function OfferRow({
  offer,
  budget,
  match,
  isCompared,
  compare,
  isShared,
}: {
  readonly offer: Offer;
  readonly budget: string;
  /** Absent where the brief says nothing that an offer can be held against. */
  readonly match: Match | undefined;
  readonly isCompared: boolean;
  readonly compare: () => void;
  readonly isShared: boolean;
}) {
  const isTaken = isIn(useBasket(), offer);
  const nameOf = useSellerNames();
  const what = `${offer.name} of ${nameOf(offer.seller)}`;
  const facts = [offer.audience, offer.delivery.replaceAll('_', '-'), offer.formats.slice(0, 3).join(', ')];
  return (
    <li aria-label={what}>
      <ChannelIcon channels={offer.channels} />
      <div className="offer-words">
        <b>
          <Go to={`/products/${encodeURIComponent(offer.productId)}`}>
            <Name of={offer.name} most={100} />
          </Go>
        </b>
        <span className="facts-line">
          <span>
            <SellerName of={offer.seller} size={16} />
          </span>
          {facts
            .filter((fact) => fact !== '')
            .map((fact) => (
              <span key={fact}>
                <Name of={fact} most={70} />
              </span>
            ))}
        </span>
        <span className="offer-reason">
          {(offer.reason || offer.description) !== '' && (
            <Name of={offer.reason === '' ? offer.description : offer.reason} most={150} />
          )}
          {match !== undefined && match.missed.length > 0 && (
            <span className="missed">not {match.missed.join(', not ')}</span>
          )}
          {isShared && (
            <span className="pill" data-tone="warn">
              same supply
            </span>
          )}
        </span>
      </div>
      {match !== undefined && match.of > 0 ? <MatchBar of={match} /> : <span />}
      <div className="offer-price">
        <b>
          <Money amount={offer.price} currency={offer.currency} show="cents" />
        </b>
        <span>
          {offer.model.toUpperCase()} {offer.isAuction ? 'from' : 'fixed'}
        </span>
        <Reach offer={offer} budget={budget} />
      </div>
      <div className="offer-acts">
        <Button
          size="xs"
          variant="default"
          aria-pressed={isCompared}
          leftSection={
            isCompared ? (
              <IconStarFilled size={14} aria-hidden="true" />
            ) : (
              <IconStar size={14} stroke={1.7} aria-hidden="true" />
            )
          }
          onClick={compare}
        >
          {isCompared ? 'In compare' : 'Compare'}
          <span className="unseen"> {what}</span>
        </Button>
        <Button
          size="xs"
          variant={isTaken ? 'default' : 'light'}
          onClick={() => (isTaken ? dropLine(offer) : putLine(offer))}
        >
          {isTaken ? 'Remove' : 'Add'}
          <span className="unseen"> {what}</span>
        </Button>
      </div>
    </li>
  );
}

/** How many of the wishes an offer meets, as a share and a bar. */
function MatchBar({ of: match }: { readonly of: Match }) {
  const share = `${Math.round(shareOf(match) * 100)}%`;
  return (
    <div className="match" data-tone={shareOf(match) > 0.75 ? 'good' : 'warn'}>
      <span>
        <b>{share}</b> match<span className="unseen">,</span>{' '}
        <span className="unseen">
          {match.met} of {match.of} wishes
        </span>
      </span>
      <span className="match-bar" title={`${match.met} of ${match.of} wishes`}>
        <span style={{ width: share }} />
      </span>
    </div>
  );
}

/** What the budget buys, or the least that is sold. */
function Reach({ offer, budget }: { readonly offer: Offer; readonly budget: string }) {
  const count = impressionsOf(budget, offer);
  const isTooLittle = (micros(offer.minimum) ?? 0n) > (micros(budget) ?? 0n);
  if (count !== undefined && !isTooLittle)
    return (
      <span>
        {shortText(count)} for {shortText(String(Math.round(Number(budget))))}
      </span>
    );
  return offer.minimum === '' ? undefined : <span>least {moneyText(offer.minimum, null)}</span>;
}
