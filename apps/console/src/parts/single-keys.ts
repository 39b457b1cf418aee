import { useLocalStorage } from '@mantine/hooks';
import { useEffect, useRef } from 'react';

/** Whether keys go to a field, a menu or a dialog instead. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    !(target instanceof HTMLElement) ||
    target.isContentEditable ||
    target.closest('input, textarea, select, [role=dialog], [role=menu], [role=listbox]') !== null
  );
}

/** Whether single keys do something; a person can switch them off (WCAG 2.2, 2.1.4). */
export const useSingleKeys = () =>
  useLocalStorage({ key: 'switchyard.keys', defaultValue: true, getInitialValueInEffect: false });

/** After G a letter opens a page, within this time in milliseconds. */
export const secondKeyMs = 1_500;

/**
 * Single keys of a page, by their letter; `enter` is Ctrl or Command with Enter, and works in a field as well. Single keys
 * do nothing in fields, in dialogs, after G, and where a person has switched them off.
 */
export function usePageKeys(keys: Readonly<Record<string, () => void>>): void {
  const [isOn] = useSingleKeys();
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    let since = -secondKeyMs;
    const press = (event: KeyboardEvent): void => {
      if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
        const confirm = latest.current['enter'];
        if (confirm !== undefined) event.preventDefault();
        return confirm?.();
      }
      if (!isOn || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const key = event.key.toLowerCase();
      const isSecond = event.timeStamp - since < secondKeyMs;
      since = key === 'g' ? event.timeStamp : -secondKeyMs;
      const act = isSecond ? undefined : latest.current[key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [isOn]);
}
