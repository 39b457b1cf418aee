import { Modal } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
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

/** The keys of the console: G and a letter opens a page, a question mark shows all keys. */
export function Keys({ me }: { readonly me: Me }) {
  const navigate = useNavigate();
  const [isOn] = useSingleKeys();
  const [isOpen, setOpen] = useState(false);
  const mine = places.filter(([, path]) => may(me, pageAt(path)?.needs));
  useEffect(() => {
    if (!isOn) return undefined;
    let since = -secondKeyMs;
    const press = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const place = mine.find(([letter]) => letter === key);
      if (event.key === '?') setOpen(true);
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
    <Modal
      opened={isOpen}
      onClose={() => setOpen(false)}
      title="Keys"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
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
            <kbd>?</kbd>
          </dt>
          <dd>These keys</dd>
        </div>
      </dl>
    </Modal>
  );
}
