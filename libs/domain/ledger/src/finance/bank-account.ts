import { err, ok, type Result } from '@switchyard/values';

/** An account at a bank, as payment files name it. */
export interface BankAccount {
  /** Of its holder. */
  readonly name: string;
  /** Without blanks, in capital letters (ISO 13616). */
  readonly iban: string;
  /** ISO 9362. */
  readonly bic?: string;
}

/** Lengths of the IBANs of the countries of SEPA (ISO 13616 registry). */
const lengths: Readonly<Record<string, number>> = Object.fromEntries(
  'AD24 AL28 AT20 BE16 BG22 CH21 CY28 CZ24 DE22 DK18 EE20 ES24 FI18 FR27 GB22 GI23 GR27 HR21 HU28 IE22 IS26 IT27 LI21 LT20 LU20 LV21 MC27 MD24 ME22 MK19 MT31 NL18 NO15 PL28 PT25 RO24 RS22 SE24 SI19 SK24 SM27 VA22'
    .split(' ')
    .map((text) => [text.slice(0, 2), Number(text.slice(2))]),
);

/** Reads an account: the IBAN by its length and its check digits (ISO 7064, modulo 97), the BIC by its shape. */
export function readBankAccount({
  name,
  iban,
  bic,
}: {
  readonly name: string;
  readonly iban: string;
  readonly bic?: string;
}): Result<BankAccount, { readonly field: 'iban' | 'bic'; readonly message: string }> {
  const plain = iban.replaceAll(/\s/g, '').toUpperCase();
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(plain))
    return err({ field: 'iban', message: 'This is not written like an IBAN.' });
  const length = lengths[plain.slice(0, 2)];
  if (length !== undefined && plain.length !== length)
    return err({ field: 'iban', message: `An IBAN of ${plain.slice(0, 2)} has ${length} characters.` });
  if (remainder(plain) !== 1)
    return err({ field: 'iban', message: 'The check digits of the IBAN are wrong.' });
  const code = bic?.replaceAll(/\s/g, '').toUpperCase();
  if (code !== undefined && !/^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(code))
    return err({ field: 'bic', message: 'A BIC has 8 or 11 letters and digits.' });
  return ok({ name, iban: plain, ...(code !== undefined && { bic: code }) });
}

/** Whether a bank of this country takes SEPA payments. */
export const isSepa = ({ iban }: Pick<BankAccount, 'iban'>): boolean => iban.slice(0, 2) in lengths;

function remainder(iban: string): number {
  let rest = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97;
  }
  return rest;
}

/** The last four characters: what is shown where the account must be told from others. */
export const shortIban = (iban: string): string => `${iban.slice(0, 4)}...${iban.slice(-4)}`;
