import { describe, expect, it } from '@jest/globals';
import { csvRow } from './csv-row.js';

describe('a row of CSV', () => {
  it('has an apostrophe before a cell that a spreadsheet would run as a formula, and none before an amount', () => {
    expect(csvRow(['=1+1', '+1', '@sum', '\tx', '＝1', '-x', '-5.25', '0.1', ''])).toBe(
      "'=1+1,'+1,'@sum,'\tx,'＝1,'-x,-5.25,0.1,",
    );
  });

  it('keeps commas, quotes and line breaks inside a cell', () => {
    expect(csvRow(['a,b', 'say "no"', 'one\r\ntwo', '\r'])).toBe(`"a,b","say ""no""","one\r\ntwo","'\r"`);
  });
});
