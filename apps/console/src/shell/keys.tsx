import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { may, type Me } from '../api/session.js';
import { pageAt } from '../pages/registry.js';
import { isTyping, secondKeyMs, useSingleKeys } from '../parts/single-keys.js';

/** Pages that two keys open: G, and the letter. */
const places = [
  ['h', '/', 'Home'],
  ['i', '/inbox', 'Inbox'],
  ['a', '/ask', 'Ask the market'],
  ['c', '/campaigns', 'Campaigns'],
  ['b', '/buys', 'Buys'],
  ['r', '/reconcile', 'Reconcile'],
  ['s', '/sellers', 'Sellers'],
] as const;

/** Whether the page is the start page, on which A alone asks the market. */
const isHome = (): boolean => /^\/console\/?$/.test(location.pathname);

/** The keys of the console: G and a letter opens a page, a question mark shows all keys. */
export function Keys({
  me,
  isOpen,
  open,
  close,
}: {
  readonly me: Me;
  readonly isOpen: boolean;
  readonly open: () => void;
  readonly close: () => void;
}) {
  const navigate = useNavigate();
  const [isOn] = useSingleKeys();
  const mine = places.filter(([, path]) => may(me, pageAt(path)?.needs));
  useEffect(() => {
    if (!isOn) return undefined;
    let since = -secondKeyMs;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const place = mine.find(([letter]) => letter === key);
      if (event.key === '?') open();
      else if (key === 'a' && event.timeStamp - since >= secondKeyMs && isHome())
        void navigate({ to: '/ask', search: {} });
      else if (key === 'g') since = event.timeStamp;
      else if (place !== undefined && event.timeStamp - since < secondKeyMs) {
        since = -secondKeyMs;
        void navigate({ to: place[1], search: {} });
      }
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [isOn, navigate, mine.length]);
  return (
    <Modal opened={isOpen} onClose={close} title="Keys" closeButtonProps={{ 'aria-label': 'Close' }}>
      <dl className="fact-list">
        <div>
          <dt>
            <kbd>Ctrl</kbd> <kbd>K</kbd>
          </dt>
          <dd>Search or do</dd>
        </div>
        {mine.map(([letter, path, title]) => (
          <div key={path}>
            <dt>
              <kbd>G</kbd> <kbd>{letter.toUpperCase()}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
        <div>
          <dt>
            <a className="row-link" href="/docs">
              API reference
            </a>
          </dt>
          <dd>
            Each page says in its first line what it is for; a coloured state says why when it is pressed.
          </dd>
        </div>
        <div>
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>These keys</dd>
        </div>
      </dl>
    </Modal>
  );
}
