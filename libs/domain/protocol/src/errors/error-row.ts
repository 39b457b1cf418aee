/** Codes of one recovery class and one HTTP status. */
export type ErrorRow = readonly [
  recovery: 'transient' | 'correctable' | 'terminal',
  httpStatus: number,
  ...codes: string[],
];
