import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from '@jest/globals';
import { emptyStream, readStreamDocument, sealBlock, type Block } from '@switchyard/journal';
import { must, type JsonValue } from '@switchyard/values';
import { ledgerExport, ledgerFormat, verifyLedgerExport } from '../ledger-export.js';
import type { BookedBuy } from '../report/booked-buy.js';
import type { Observation } from '../report/observation.js';
import { ledgerAfter } from '../testkit/report-maker.js';

/** Reports of a seller on UTC days and the export of their ledger, made before figures had days of their own. */
const before = JSON.parse(readFileSync(join(import.meta.dirname, 'testkit/export-before.json'), 'utf8')) as {
  readonly openFrom: string;
  readonly buy: Omit<BookedBuy, 'packages'> & {
    readonly packages: readonly { ref: string; budgetMicros: string }[];
  };
  readonly observations: readonly Observation[];
  readonly sealedFrom: number;
  readonly export: string;
};

it('an export from before figures had days of their own verifies', async () => {
  const read = must(readStreamDocument(ledgerFormat, JSON.parse(before.export) as JsonValue));
  expect(await verifyLedgerExport(read)).toMatchObject({ ok: true, faults: [] });
});

it('the same reports on UTC days make the same entries and the same chain as before, byte for byte', async () => {
  const packages = before.buy.packages.map(({ ref, budgetMicros }) => ({
    ref,
    budgetMicros: BigInt(budgetMicros),
  }));
  const { openFrom } = before;
  const { decisions } = ledgerAfter(before.observations, { buys: [{ ...before.buy, packages }], openFrom });
  let head = emptyStream('ledger:o');
  const blocks: Block[] = [];
  for (const [at, { entries }] of decisions.entries()) {
    const sealed = sealBlock(head, entries, before.sealedFrom + at);
    blocks.push(sealed.block);
    head = sealed.head;
  }
  expect(await text(ledgerExport({ blocks, head }))).toBe(before.export);
});
