/** ISO 4217 currencies by the decimals of their minor unit. All others of the list have two. */
const withoutDecimals = 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF';
const withThreeDecimals = 'BHD IQD JOD KWD LYD OMR TND';
const withFourDecimals = 'CLF UYW';
const withTwoDecimals =
  'AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE ' +
  'CHF CHW CNY COP COU CRC CUC CUP CVE CZK DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GTQ GYD HKD ' +
  'HNL HRK HTG HUF IDR ILS INR IRR JMD KES KGS KHR KPW KYD KZT LAK LBP LKR LRD LSL MAD MDL MGA MKD MMK MNT MOP ' +
  'MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD PAB PEN PGK PHP PKR PLN QAR RON RSD RUB SAR SBD SCR ' +
  'SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TOP TRY TTD TWD TZS UAH USD USN UYU UZS VED ' +
  'VES WST XCD XCG YER ZAR ZMW ZWG ZWL';

const exponents: ReadonlyMap<string, number> = new Map(
  (
    [
      [withoutDecimals, 0],
      [withTwoDecimals, 2],
      [withThreeDecimals, 3],
      [withFourDecimals, 4],
    ] as const
  ).flatMap(([codes, exponent]) => codes.split(' ').map((code) => [code, exponent] as const)),
);

/** Decimals of the currency's minor unit; 2 for an unknown code. */
export function currencyExponent(code: string): number {
  return exponents.get(code) ?? 2;
}

/** Whether a code is an ISO 4217 currency for amounts of money (not metals, funds without money, or test codes). */
export function isCurrency(code: string): boolean {
  return exponents.has(code);
}
