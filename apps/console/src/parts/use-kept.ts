import { useEffect, useState } from 'react';
import { useMe } from '../api/session.js';
import { useRun, type Run } from './run.js';

/**
 * A value that a reload keeps, in this tab and for this person alone. Without storage, or if it has no room for the value,
 * it lasts as long as the page.
 */
export function useKept<Value>(name: string, initial: Value): readonly [Value, (value: Value) => void] {
  const place = `switchyard.${name}.${useMe().data?.principal_id ?? ''}`;
  const [value, setValue] = useState<Value>(() => {
    try {
      return JSON.parse(sessionStorage.getItem(place) ?? '') as Value;
    } catch {
      return initial;
    }
  });
  const keep = (next: Value): void => {
    setValue(next);
    try {
      // What was stored before must not come back if there is no room for this.
      sessionStorage.removeItem(place);
      sessionStorage.setItem(place, JSON.stringify(next));
    } catch {
      // It lasts as long as the page.
    }
  };
  return [value, keep];
}

/** A run of this name, or the last one that this tab kept the answer of. */
export function useKeptRun(name: string): Run | undefined {
  const run = useRun(name);
  const [last, keep] = useKept<Run | undefined>(`run.${name}`, undefined);
  useEffect(() => {
    if (run?.answer !== undefined) keep(run);
  }, [run]);
  return run ?? last;
}

/** Forgets what this tab keeps, when its person signs out. */
export const forgetKept = (): void => sessionStorage.clear();
