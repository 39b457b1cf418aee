/** The environment of a server for a test that sends more requests per minute than the rate limits allow. */
export const generousRates = Object.fromEntries(
  ['READS', 'WRITES', 'COMBINED', 'INSERTS', 'PUBLIC', 'FAILURES'].map((name) => [
    `SWITCHYARD_RATE_${name}`,
    '10000/100000',
  ]),
);
