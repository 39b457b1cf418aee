import { currencyExponent, microsToDecimal } from '@switchyard/money';
import type { TaxRate } from './billing-rule.js';

/** Why no tax is due (BT-120), where a category asks for it. */
export const exemptions: Partial<Record<TaxRate['taxCategory'], string>> = {
  E: 'Exempt from tax',
  AE: 'Reverse charge',
  O: 'Not subject to tax',
};

/** An amount with all digits of its currency. */
export function minorText(micros: bigint, currency: string): string {
  const digits = currencyExponent(currency);
  const [whole = '0', part = ''] = microsToDecimal(micros).split('.');
  return digits === 0 ? whole : `${whole}.${part.padEnd(digits, '0')}`;
}

export function node(name: string, ...children: readonly string[]): string {
  return `<${name}>${children.join('')}</${name}>`;
}

/** A text escaped for XML 1.0, without the characters that it does not have. */
export function element(name: string, text: string, attributes = ''): string {
  const plain = text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
  return `<${name}${attributes}>${plain}</${name}>`;
}
