import { Fragment } from 'react';
import type { JsonObject } from '../api/client.js';
import { isObject } from '../api/task.js';

/** Control and format characters (Unicode Cc and Cf): invisible, or turn the text. Line ends and joiners stay. */
const hostile = /(?![\n\u200C\u200D])[\p{Cc}\p{Cf}]/gu;

/** Foreign text without characters that change the text around it. `most` is in characters. */
export function clean(text: string, most = 200): string {
  const plain = text.replaceAll(hostile, '');
  return plain.length > most ? `${plain.slice(0, most)}…` : plain;
}

/** A number of a document, `INV-2026-0042`: it is not broken at its hyphens. */
const isNumber = (text: string): boolean => /^(?=.*-)(?=.*\d)[\p{L}\d.-]{1,16}$/u.test(text);

/** A foreign name: isolated in its direction (`bdi`), cut if it is long, and broken at its dots and slashes. */
export function Name({ of, most = 120 }: { readonly of: string | null | undefined; readonly most?: number }) {
  return of === null || of === undefined || of === '' ? (
    <span>–</span>
  ) : (
    <bdi className={isNumber(of) ? 'name whole' : 'name'}>
      {clean(of, most)
        .split(/(?<=[.@/_])(?=\p{L})/u)
        .map((part, at) => (
          <Fragment key={at}>
            {at > 0 && <wbr />}
            {part}
          </Fragment>
        ))}
    </bdi>
  );
}

/** The members of a JSON object as plain text. */
export const wordsOf = (detail: JsonObject): string =>
  Object.entries(detail)
    .filter(([, value]) => value !== '' && value !== null)
    .map(([name, value]) =>
      isObject(value)
        ? wordsOf(value)
        : `${name.replaceAll('_', ' ')}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    )
    .filter((part) => part !== '')
    .join(', ');
