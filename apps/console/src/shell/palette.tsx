import { Modal } from '@mantine/core';
import {
  IconArrowRight,
  IconBuilding,
  IconFileInvoice,
  IconPhoto,
  IconSearch,
  IconShoppingCart,
  IconSpeakerphone,
  IconTag,
  IconUser,
} from '@tabler/icons-react';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type KeyboardEvent } from 'react';
import { api, type Answer } from '../api/client.js';
import { may, type Me } from '../api/session.js';
import { actionsAnywhere, actionsWith, type Action } from '../pages/actions.js';
import { pageAt, pages } from '../pages/registry.js';
import { Avatar } from '../parts/avatar.js';
import { isMonth } from '../parts/month.js';
import { clean } from '../parts/name.js';
import { placeOf, type Place } from '../parts/places.js';

interface Hit extends Place {
  readonly key: string;
  /** The kind and id of an object, for what can be done with it. */
  readonly object?: { readonly kind: string; readonly id: string };
  readonly label: string;
  readonly about: string;
}

type Found = Answer<'GET /v1/search'>['results'][number];

/** Objects that the search lacks, by the route that reads one: an answer means that it exists. */
const shownBy = [
  ['GET /v1/breaks/{id}', 'Difference', 'ledger.read', 'break'],
  ['GET /v1/outgoing-events/{id}', 'Webhook to a buyer', 'reports.read', 'outgoing-event'],
  ['GET /v1/custody/{id}', 'Trail of one request', 'delegations.read', 'custody'],
] as const;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Opens any page, id or name: Ctrl-K, type, arrows, Enter. */
export function Palette({
  me,
  isOpen,
  close,
}: {
  readonly me: Me;
  readonly isOpen: boolean;
  readonly close: () => void;
}) {
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const [wanted] = useDebouncedValue(text.trim(), 150);
  const navigate = useNavigate();
  const found = useQuery({
    queryKey: ['search', wanted],
    queryFn: ({ signal }) => api('GET /v1/search', { query: { q: wanted }, signal }),
    enabled: isOpen && wanted.length >= 2 && may(me, 'media_buys.read'),
  });
  const byId = useQuery({
    queryKey: ['search', 'by id', wanted],
    queryFn: ({ signal }) => hitsById(me, wanted, signal),
    enabled: isOpen && uuid.test(wanted),
  });
  const inLists = useQuery({
    queryKey: ['search', 'in lists'],
    queryFn: ({ signal }) => readLists(me, signal),
    enabled: isOpen && wanted.length >= 2,
    // The lists are read once for the letters of a search, and not for each.
    staleTime: 30_000,
  });
  const objects = [
    ...monthHits(wanted),
    ...(found.data?.results ?? []).map(hitOf),
    ...(byId.data ?? []),
    ...(inLists.data ?? [])
      .filter(({ label }) => wanted.length >= 2 && label.toLowerCase().startsWith(wanted.toLowerCase()))
      .slice(0, 8),
  ];
  // What may be found may be of a kind whose page the person may not open.
  const places = [...pageHits(me, text), ...objects.filter(({ to }) => may(me, pageAt(to)?.needs))];
  const first = places.find(({ object }) => object !== undefined && actionsWith[object.kind] !== undefined);
  const blocks = [
    { title: 'Go to', hits: places },
    {
      title: `Do, with ${first?.label ?? ''}`,
      hits:
        first?.object === undefined
          ? []
          : deeds(me, actionsWith[first.object.kind]?.(first.object.id, first.label) ?? []),
    },
    {
      title: 'Do anywhere',
      hits: deeds(
        me,
        actionsAnywhere.filter(({ title, words }) =>
          `${title} ${words ?? ''}`.toLowerCase().includes(text.trim().toLowerCase()),
        ),
      ),
    },
  ].filter((block) => block.hits.length > 0);
  const hits = blocks.flatMap((block) => block.hits);
  const go = (hit: Hit | undefined): void => {
    if (hit === undefined) return;
    close();
    setText('');
    void navigate({ to: hit.to, search: hit.search ?? {} });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'ArrowDown') setAt((at + 1) % Math.max(1, hits.length));
    else if (event.key === 'ArrowUp') setAt((at + hits.length - 1) % Math.max(1, hits.length));
    else if (event.key === 'Enter') go(hits[at]);
    else return;
    event.preventDefault();
  };
  return (
    <Modal.Root opened={isOpen} onClose={close} size={620} yOffset={108} trapFocus>
      <Modal.Overlay backgroundOpacity={0.5} />
      <Modal.Content aria-label="Search or do" radius="lg">
        <div className="palette">
          <div className="palette-field">
            <IconSearch size={17} stroke={1.7} aria-hidden="true" />
            <input
              aria-label="A page, an id, the beginning of a name, or a deed"
              placeholder="Search or do…"
              data-autofocus
              value={text}
              role="combobox"
              aria-expanded
              aria-autocomplete="list"
              aria-controls="palette-hits"
              {...(hits[at] && { 'aria-activedescendant': `hit-${at}` })}
              onChange={({ currentTarget }) => {
                setText(currentTarget.value);
                setAt(0);
              }}
              onKeyDown={onKey}
            />
            <kbd>Esc</kbd>
          </div>
          <div id="palette-hits" role="listbox" aria-label="Found">
            {blocks.map((block) => (
              <div key={block.title} role="presentation">
                <div className="palette-block" role="presentation">
                  {block.title}
                </div>
                {block.hits.map((hit) => {
                  const index = hits.indexOf(hit);
                  return (
                    <div
                      key={hit.key}
                      id={`hit-${index}`}
                      role="option"
                      aria-selected={index === at}
                      className="palette-hit"
                      onClick={() => go(hit)}
                    >
                      <HitIcon hit={hit} />
                      <b>
                        <bdi>{hit.label}</bdi>
                      </b>{' '}
                      <bdi>{hit.about}</bdi>
                      {index === at && <kbd aria-hidden="true">↵</kbd>}
                    </div>
                  );
                })}
              </div>
            ))}
          </div>
          <p role="status">
            {hits.length === 0 &&
            text.trim().length >= 2 &&
            !found.isFetching &&
            !byId.isFetching &&
            !inLists.isFetching
              ? 'Nothing has this id, and no name begins so.'
              : ''}
          </p>
          <div className="palette-foot">
            <span>
              <kbd>↑↓</kbd> choose <kbd>↵</kbd> open
            </span>
            <span>Only what you may do is listed</span>
          </div>
        </div>
      </Modal.Content>
    </Modal.Root>
  );
}

const icons: Readonly<Record<string, typeof IconArrowRight>> = {
  brand: IconTag,
  campaign: IconSpeakerphone,
  client: IconBuilding,
  creative: IconPhoto,
  invoice: IconFileInvoice,
  media_buy: IconShoppingCart,
  principal: IconUser,
};

/** What a hit is: the monogram of a seller, the icon of another object, an arrow for a page or deed. */
function HitIcon({ hit: { object, label } }: { readonly hit: Hit }) {
  if (object?.kind === 'seller') return <Avatar of={label} size={20} />;
  const Icon = icons[object?.kind ?? ''] ?? IconArrowRight;
  return <Icon size={16} stroke={1.7} aria-hidden="true" />;
}

const deeds = (me: Me, actions: readonly Action[]): Hit[] =>
  actions
    .filter(({ needs }) => may(me, needs))
    .map(({ title, to, search = {} }) => ({ key: `do ${title}`, label: title, about: '', to, search }));

async function hitsById(me: Me, id: string, signal: AbortSignal): Promise<Hit[]> {
  if (!uuid.test(id)) return [];
  const tried = shownBy
    .filter(([, , needs]) => may(me, needs))
    .map(async ([route, label, , kind]): Promise<Hit[]> => {
      try {
        await api(route, { params: { id }, signal });
        return [{ key: `${label} ${id}`, label, about: id, ...placeOf(kind, id, '') }];
      } catch {
        return [];
      }
    });
  return (await Promise.all(tried)).flat();
}

/** What stands in short lists that the search lacks: roles, keys, credentials and delegations. */
async function readLists(me: Me, signal: AbortSignal): Promise<Hit[]> {
  const query = { limit: '200' };
  const hit = (about: string, label: string, to: string, search = {}): Hit => ({
    ...{ key: `${about} ${label}`, label: clean(label), about, to, search },
  });
  const lists = await Promise.all([
    may(me, 'principals.read')
      ? api('GET /v1/roles', { signal }).then(({ roles }) =>
          roles.map(({ role }) => hit('Role', role, '/people/roles', { role })),
        )
      : [],
    may(me, 'principals.read')
      ? api('GET /v1/keys', { query, signal }).then(({ keys }) =>
          keys.map(({ kid }) => hit('Signing key', kid, '/developers')),
        )
      : [],
    may(me, 'sellers.read')
      ? api('GET /v1/credentials', { query, signal }).then(({ credentials }) =>
          credentials.map(({ credential_id: id, seller = '' }) =>
            hit(`Credential ${clean(seller, 63)}`.trim(), id, '/credentials', { seller }),
          ),
        )
      : [],
    may(me, 'delegations.read')
      ? api('GET /v1/delegations', { query, signal }).then(({ delegations }) =>
          delegations.map(({ delegation_id: id, seller, principal_id }) =>
            hit(`Delegation to ${clean(seller, 63)}`, id, '/agents', { seller, principal_id }),
          ),
        )
      : [],
  ]);
  return lists.flat();
}

function pageHits(me: Me, text: string): Hit[] {
  const words = text.trim().toLowerCase();
  return pages
    .filter(({ inMenu, needs }) => inMenu && may(me, needs))
    .filter(({ title, words: more }) => `${title} ${more ?? ''}`.toLowerCase().includes(words))
    .slice(0, 8)
    .map(({ title, path }) => ({ key: path, label: title, about: 'Page', to: path }));
}

const monthHits = (text: string): Hit[] =>
  isMonth(text) ? [{ key: text, label: text, about: 'Month', ...placeOf('period', text, text) }] : [];

const kinds: Readonly<Record<string, string>> = {
  media_buy: 'buy',
  event: 'webhook',
  principal: 'person or program',
};

function hitOf({ kind, id, name, client, brand, campaign }: Found): Hit {
  // An id says something only where nothing has a name, or where it is what people write.
  const shownId = name === '' || uuid.test(id) || kind === 'seller' ? undefined : id;
  const owner = client === undefined ? undefined : `of ${client.name}`;
  const about = [
    [kinds[kind] ?? kind.replace('_', ' '), owner].filter(Boolean).join(' '),
    shownId,
    brand,
    campaign?.name,
  ].filter((part) => part !== undefined && part !== '');
  return {
    key: `${kind} ${id}`,
    object: { kind, id },
    label: clean(name || id),
    about: clean(about.join(' · ')),
    ...placeOf(kind, kind === 'brand' ? (brand ?? id) : id, name),
  };
}
