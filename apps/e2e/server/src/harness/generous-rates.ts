/** What a server is started with for a test that asks more in a minute than anybody may. */
export const generousRates = Object.fromEntries(
  ['READS', 'WRITES', 'COMBINED', 'INSERTS', 'PUBLIC', 'FAILURES'].map((name) => [
    `SWITCHYARD_RATE_${name}`,
    '10000/100000',
  ]),
);
