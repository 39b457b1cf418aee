import { Button, Modal } from '@mantine/core';
import { IconColumns, IconLoader2 } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { JsonObject } from '../../../api/client.js';
import { useMe } from '../../../api/session.js';
import { Avatar } from '../../../parts/avatar.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { useFilters } from '../../../parts/filters.js';
import { micros, moneyText, shortText } from '../../../parts/money.js';
import { clean } from '../../../parts/name.js';
import { useSellerNames } from '../../../parts/seller-name.js';
import { usePageKeys } from '../../../parts/single-keys.js';
import { useKept } from '../../../parts/use-kept.js';
import { putLine } from './basket.js';
import { Facets } from './facet-list.js';
import { chosenIn, facetsOf, fits, isPriced } from './facets.js';
import { OfferRow } from './offer-row.js';
import { keyOf, offersIn, sharedSupply, type Offer } from './offers.js';
import { formatOf, useLibrary } from './package-creatives.js';
import { impressionsOf } from './plan-lines.js';
import { SideBySide } from './side-by-side.js';
import { useSteadyOrder } from './use-steady-order.js';
import { matchOf, shareOf, type Wish } from './wishes.js';

/** At most so many offers are compared side by side. */
const mostCompared = 4;

/** The offers of an answer: facets with counts, each offer with its reason and its price, and a tray to compare some. */
export function Compare({
  answer,
  budget,
  wishes,
  waiting,
}: {
  readonly answer: JsonObject;
  /** What somebody wants to spend, as decimal text; empty where nothing is typed. */
  readonly budget: string;
  readonly wishes: readonly Wish[];
  /** The sellers that have not answered yet, by slug. */
  readonly waiting: readonly string[];
}) {
  const [filters] = useFilters();
  const [compared, keep] = useKept<readonly string[]>('compared', []);
  const [isOpen, setOpen] = useState(false);
  const [isPointedAt, setPointedAt] = useState(false);
  const offers = useMemo(() => offersIn(answer), [answer]);
  const shared = useMemo(() => sharedSupply(offers), [offers]);
  const library = useLibrary('')?.creatives;
  const facets = useMemo(() => facetsOf(budget, new Set((library ?? []).map(formatOf))), [budget, library]);
  const chosen = chosenIn(facets, filters);
  const reporting = useMe().data?.organization.reporting_currency ?? 'USD';
  const isJudged = wishes.length > 0;
  const ordered = useMemo(() => {
    const share = new Map(offers.map((offer) => [offer, shareOf(matchOf(offer, wishes))]));
    const price = byPrice(reporting);
    // The floor of an auction is no price: what has a fixed one comes first.
    return offers.toSorted(
      (a, b) =>
        (share.get(b) ?? 0) - (share.get(a) ?? 0) || Number(a.isAuction) - Number(b.isAuction) || price(a, b),
    );
  }, [offers, wishes, reporting]);
  const byKey = new Map(ordered.map((offer) => [keyOf(offer), offer]));
  const order = useSteadyOrder([...byKey.keys()], isPointedAt && waiting.length > 0);
  const shown = order
    .flatMap((key) => byKey.get(key) ?? [])
    .filter((offer) => fits(offer, facets, chosen) && isPriced(offer, filters));
  const inTray = offers.filter((offer) => compared.includes(keyOf(offer)));
  usePageKeys({ c: () => setOpen(inTray.length > 0) });
  if (offers.length === 0 && waiting.length > 0) return undefined;
  if (offers.length === 0)
    return (
      <EmptyState title="No seller offered a product">
        The details of the sellers say why. Make the brief wider, or have an administrator connect more
        sellers.
      </EmptyState>
    );
  const toggle = (key: string): void =>
    keep(
      compared.includes(key)
        ? compared.filter((one) => one !== key)
        : [...compared, key].slice(-mostCompared),
    );
  return (
    <div className="offers">
      <Facets facets={facets} offers={offers} chosen={chosen} />
      <div className="column">
        <section className="panel" aria-label="Products">
          <div className="panel-head">
            <h2>Offers</h2>
            <div className="panel-about" role="status">
              {shown.length === offers.length ? offers.length : `${shown.length} of ${offers.length}`},{' '}
              {isJudged ? 'best match first' : 'lowest price first'}
            </div>
          </div>
          {shown.length === 0 && <p className="panel-note">Nothing under these filters.</p>}
          <ul
            className="offer-list"
            onPointerEnter={() => setPointedAt(true)}
            onPointerLeave={() => setPointedAt(false)}
            onFocus={() => setPointedAt(true)}
            onBlur={() => setPointedAt(false)}
          >
            {shown.map((offer) => (
              <OfferRow
                key={keyOf(offer)}
                offer={offer}
                budget={budget}
                match={isJudged ? matchOf(offer, wishes) : undefined}
                isCompared={compared.includes(keyOf(offer))}
                compare={() => toggle(keyOf(offer))}
                isShared={offer.publishers.some((domain) => shared.has(domain))}
              />
            ))}
          </ul>
          {waiting.length > 0 && <StillAnswering sellers={waiting} />}
        </section>
        {inTray.length > 0 && (
          <Tray offers={inTray} budget={budget} open={() => setOpen(true)} clear={() => keep([])} />
        )}
      </div>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        size="xl"
        title={`${inTray.length} offers side by side`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <SideBySide offers={inTray} budget={budget} remove={(offer) => toggle(keyOf(offer))} />
      </Modal>
    </div>
  );
}

/** Who is awaited, below the offers that are there. */
function StillAnswering({ sellers }: { readonly sellers: readonly string[] }) {
  const nameOf = useSellerNames();
  const [first = '', ...others] = sellers;
  return (
    <p className="still-answering">
      <IconLoader2 size={16} stroke={1.7} aria-hidden="true" />
      {clean(nameOf(first), 60)}
      {others.length > 0 && ` and ${others.length} more`} {others.length > 0 ? 'are' : 'is'} still answering.
      New offers go to their place in the list; nothing moves while you point at it.
    </p>
  );
}

function Tray({
  offers,
  budget,
  open,
  clear,
}: {
  readonly offers: readonly Offer[];
  readonly budget: string;
  readonly open: () => void;
  readonly clear: () => void;
}) {
  const nameOf = useSellerNames();
  const counts = offers
    .flatMap((offer) => impressionsOf(budget, offer) ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
  const [least = 0, most = 0] = [counts[0], counts.at(-1)];
  const put = (): void => {
    for (const offer of offers) putLine(offer);
    clear();
  };
  return (
    <div className="tray" role="region" aria-label="To compare">
      <IconColumns size={17} stroke={1.7} aria-hidden="true" />
      <span>
        <b>{offers.length} to compare</b>
        {counts.length > 0 &&
          ` · ${least === most ? shortText(String(least)) : `${shortText(String(least))} to ${shortText(String(most))}`} impressions for ${moneyText(budget)}`}
      </span>
      <span className="tray-avatars">
        {offers.map((offer) => (
          <Avatar key={keyOf(offer)} of={nameOf(offer.seller)} size={22} />
        ))}
      </span>
      <span className="tray-acts">
        <Button size="xs" variant="default" onClick={open}>
          Side by side <kbd aria-hidden="true">C</kbd>
        </Button>
        <Button size="xs" component={Link} to="/plans/new" onClick={put}>
          Put in a plan
        </Button>
      </span>
    </div>
  );
}

/** Lowest price first, those without one last; currencies are not compared, so the reporting currency comes first. */
const byPrice =
  (reporting: string) =>
  (a: Offer, b: Offer): number => {
    if (a.currency !== b.currency) {
      if (a.currency === reporting) return -1;
      return b.currency === reporting ? 1 : a.currency.localeCompare(b.currency);
    }
    const [one, other] = [micros(a.price), micros(b.price)];
    if (one === undefined || other === undefined)
      return Number(one === undefined) - Number(other === undefined);
    return one < other ? -1 : Number(one > other);
  };
