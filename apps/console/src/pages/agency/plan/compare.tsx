import { Button, Checkbox, Modal, Table } from '@mantine/core';
import {
  IconAd,
  IconColumns,
  IconDeviceTv,
  IconHeadphones,
  IconPhoto,
  IconStar,
  IconStarFilled,
  IconVideo,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useMemo, useState, type ReactNode } from 'react';
import type { JsonObject } from '../../../api/client.js';
import { useMe } from '../../../api/session.js';
import { Avatar } from '../../../parts/avatar.js';
import { EmptyState } from '../../../parts/empty-state.js';
import { useFilters } from '../../../parts/filters.js';
import { Go } from '../../../parts/go.js';
import { micros, Money, moneyText, shortText } from '../../../parts/money.js';
import { Name } from '../../../parts/name.js';
import { ScrollTable } from '../../../parts/scroll-table.js';
import { SellerName, useSellerNames } from '../../../parts/seller-name.js';
import { usePageKeys } from '../../../parts/single-keys.js';
import { useKept } from '../../../parts/use-kept.js';
import { dropLine, isIn, putLine, useBasket } from './basket.js';
import { chosenIn, countsOf, facetsOf, fits, type Facet } from './facets.js';
import { offersIn, sharedSupply, type Offer } from './offers.js';
import { impressionsOf } from './plan-lines.js';

/** At most so many offers are compared side by side. */
const mostCompared = 4;
/** So many values of a facet are shown before the others are asked for. */
const fewValues = 6;

const keyOf = ({ productId, pricingOptionId }: Offer): string => `${productId} ${pricingOptionId}`;

/** The offers of an answer: facets with counts, each offer with its reason and its price, and a tray to compare some. */
export function Compare({
  answer,
  budget,
}: {
  readonly answer: JsonObject;
  /** What somebody wants to spend, as decimal text; empty where nothing is typed. */
  readonly budget: string;
}) {
  const [filters] = useFilters();
  const [compared, keep] = useKept<readonly string[]>('compared', []);
  const [isOpen, setOpen] = useState(false);
  const offers = useMemo(() => offersIn(answer), [answer]);
  const shared = useMemo(() => sharedSupply(offers), [offers]);
  const facets = useMemo(() => facetsOf(budget), [budget]);
  const chosen = chosenIn(facets, filters);
  const reporting = useMe().data?.organization.reporting_currency ?? 'USD';
  const shown = offers.filter((offer) => fits(offer, facets, chosen)).toSorted(byPrice(reporting));
  const inTray = offers.filter((offer) => compared.includes(keyOf(offer)));
  usePageKeys({ c: () => setOpen(inTray.length > 0) });
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
              {shown.length === offers.length ? offers.length : `${shown.length} of ${offers.length}`}, lowest
              price first
            </div>
          </div>
          {shown.length === 0 && <p className="panel-note">Nothing under these filters.</p>}
          <ul className="offer-list">
            {shown.map((offer) => (
              <OfferRow
                key={keyOf(offer)}
                offer={offer}
                budget={budget}
                isCompared={compared.includes(keyOf(offer))}
                compare={() => toggle(keyOf(offer))}
                isShared={offer.publishers.some((domain) => shared.has(domain))}
              />
            ))}
          </ul>
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

function Facets({
  facets,
  offers,
  chosen,
}: {
  readonly facets: readonly Facet[];
  readonly offers: readonly Offer[];
  readonly chosen: ReadonlyMap<string, ReadonlySet<string>>;
}) {
  const [, setFilters] = useFilters();
  const clear = Object.fromEntries(facets.map(({ key }) => [key, undefined]));
  return (
    <details className="facets" open={window.innerWidth > 768}>
      <summary>Filters{chosen.size > 0 && `, ${chosen.size} in use`}</summary>
      <h2 className="unseen">Filters</h2>
      {facets.map((facet) => (
        <OneFacet
          key={facet.key}
          facet={facet}
          counts={countsOf(facet, offers, facets, chosen)}
          chosen={chosen}
        />
      ))}
      {chosen.size > 0 && (
        <button type="button" className="text-button" onClick={() => setFilters(clear)}>
          Clear filters
        </button>
      )}
    </details>
  );
}

function OneFacet({
  facet: { key, title },
  counts,
  chosen,
}: {
  readonly facet: Facet;
  readonly counts: readonly (readonly [value: string, count: number])[];
  readonly chosen: ReadonlyMap<string, ReadonlySet<string>>;
}) {
  const [, setFilters] = useFilters();
  const [isWhole, setWhole] = useState(false);
  const nameOf = useSellerNames();
  const own = chosen.get(key) ?? new Set<string>();
  const toggle = (value: string): void => {
    const next = new Set(own);
    if (!next.delete(value)) next.add(value);
    setFilters({ [key]: next.size === 0 ? undefined : [...next].join(',') });
  };
  if (counts.length < 2 && own.size === 0) return undefined;
  const few = isWhole ? counts : counts.slice(0, fewValues);
  return (
    <fieldset>
      <legend>{title}</legend>
      {few.map(([value, count]) => (
        <div key={value}>
          <Checkbox
            size="xs"
            label={
              <Name
                of={
                  key === 'seller'
                    ? nameOf(value)
                    : (channelNames[value] ?? upper(value.replaceAll('_', ' ')))
                }
                most={40}
              />
            }
            checked={own.has(value)}
            onChange={() => toggle(value)}
          />
          <span className="count">{count}</span>
        </div>
      ))}
      {counts.length > few.length && (
        <button type="button" className="text-button" onClick={() => setWhole(true)}>
          {counts.length - few.length} more<span className="unseen"> of {title}</span>
        </button>
      )}
    </fieldset>
  );
}

const upper = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const channelNames: Readonly<Record<string, string>> = {
  olv: 'Online video',
  ctv: 'Connected TV',
  streaming_audio: 'Streaming audio',
  dooh: 'Digital out of home',
  ooh: 'Out of home',
};

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

function OfferRow({
  offer,
  budget,
  isCompared,
  compare,
  isShared,
}: {
  readonly offer: Offer;
  readonly budget: string;
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
          <Name of={offer.reason === '' ? offer.description : offer.reason} most={150} />
          {isShared && (
            <span className="pill" data-tone="warn">
              same supply
            </span>
          )}
        </span>
      </div>
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

/** Offers as columns, their attributes as rows; the best value of a row is marked. */
function SideBySide({
  offers,
  budget,
  remove,
}: {
  readonly offers: readonly Offer[];
  readonly budget: string;
  readonly remove: (offer: Offer) => void;
}) {
  const oneCurrency = new Set(offers.map(({ currency }) => currency)).size === 1;
  const best = (pick: (offer: Offer) => bigint | undefined, isLeast: boolean): string | undefined => {
    const known = offers.flatMap((offer) => {
      const value = pick(offer);
      return value === undefined ? [] : [{ key: keyOf(offer), value }];
    });
    if (known.length < 2) return undefined;
    return known.toSorted((a, b) => (a.value < b.value === isLeast ? -1 : 1))[0]?.key;
  };
  const sameModel = new Set(offers.map(({ model }) => model)).size === 1;
  const cheapest = oneCurrency && sameModel ? best(({ price }) => micros(price), true) : undefined;
  const lowest = oneCurrency
    ? best(({ minimum }) => micros(minimum === '' ? '0' : minimum), true)
    : undefined;
  const widest = best((offer) => {
    const count = impressionsOf(budget, offer);
    return count === undefined ? undefined : BigInt(count);
  }, false);
  const rows: readonly {
    readonly title: string;
    readonly best?: string | undefined;
    readonly cell: (offer: Offer) => ReactNode;
  }[] = [
    { title: 'Seller', cell: ({ seller }) => <SellerName of={seller} size={18} /> },
    {
      title: 'Price',
      best: cheapest,
      cell: (offer) => (
        <>
          {offer.isAuction && 'from '}
          <Money amount={offer.price} currency={offer.currency} show="cents" /> {offer.model.toUpperCase()}
        </>
      ),
    },
    {
      title: budget === '' ? 'Impressions' : `Impressions for ${moneyText(budget)}`,
      best: widest,
      cell: (offer) => {
        const count = impressionsOf(budget, offer);
        return count === undefined ? '–' : shortText(count);
      },
    },
    {
      title: 'Least spend',
      best: lowest,
      cell: ({ minimum, currency }) =>
        minimum === '' ? 'none' : <Money amount={minimum} currency={currency} />,
    },
    { title: 'Delivery', cell: ({ delivery }) => <Name of={delivery.replaceAll('_', '-')} /> },
    { title: 'Formats', cell: ({ formats }) => <Name of={formats.join(', ')} most={120} /> },
    { title: 'Audience', cell: ({ audience }) => <Name of={audience} most={120} /> },
    {
      title: 'Why',
      cell: ({ reason, description }) => <Name of={reason === '' ? description : reason} most={200} />,
    },
  ];
  return (
    <ScrollTable label="Offers side by side">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>
            <span className="unseen">Attribute</span>
          </Table.Th>
          {offers.map((offer) => (
            <Table.Th key={keyOf(offer)}>
              <Name of={offer.name} most={60} />
            </Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {rows.map(({ title, best: winner, cell }) => (
          <Table.Tr key={title}>
            <Table.Th scope="row">{title}</Table.Th>
            {offers.map((offer) => (
              <Table.Td key={keyOf(offer)} className={winner === keyOf(offer) ? 'best' : undefined}>
                {cell(offer)}
                {winner === keyOf(offer) && <span className="unseen"> (best)</span>}
              </Table.Td>
            ))}
          </Table.Tr>
        ))}
        <Table.Tr>
          <Table.Th scope="row">
            <span className="unseen">Leave out</span>
          </Table.Th>
          {offers.map((offer) => (
            <Table.Td key={keyOf(offer)}>
              <button type="button" className="text-button" onClick={() => remove(offer)}>
                Leave out<span className="unseen"> {offer.name}</span>
              </button>
            </Table.Td>
          ))}
        </Table.Tr>
      </Table.Tbody>
    </ScrollTable>
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
