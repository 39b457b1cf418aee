import { describe, expect, it } from '@jest/globals';
import { releases, schemasAreThere, schemasOf, type Release } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import type { ProjectedRequest } from '../task-spec.js';
import { taskTable, type AnyTaskSpec } from '../task-table.js';
import type { Form } from '../versions/wire-profile.js';
import { withoutOverlaps } from './testkit/faults.js';
import { pathOf } from './testkit/leaves.js';
import { isInTable, requestLimits, type RequestLimit } from './testkit/request-limits.js';
import { onWire, requestPath, requestsIn, sentTo } from './testkit/requests.js';

/*
 * Callers' requests of one form, with every member in its schemas, are written for sellers of every other form. Each
 * conforms to that form or is refused with a code, and its losses are in the table of losses.
 */

type Row = keyof typeof taskTable;

/** Tasks that are sent to no seller, or not in these words, and why. */
const neverRequested: Readonly<Partial<Record<Row, string>>> = {
  listCreatives: 'Sellers are asked with questions of our own alone.',
  listTasks: 'The platform answers it itself.',
  listAccounts: 'Sellers are asked with a question of our own alone.',
  syncAccounts: 'Accounts with us are pairs, and no seller hears of them.',
  cancelTask: 'No release has a schema for it.',
};
/** Forms before 3.0 have neither the task nor accounts, so vendors of these forms get no reports. */
const onlyModern: Row = 'reportUsage';
const rows = (Object.keys(taskTable) as Row[]).filter((row) => !(row in neverRequested));
const forms: readonly Form[] = ['service', ...releases];
/** Generating messages takes long; the duration is not part of the test. */
const slowestMs = 900_000;
/** Both are registered for the signed profile; the member would select an older one. */
const deviation =
  /^\/(reporting_webhook|push_notification_config) must have required property 'authentication'/;
const needed = new Set<RequestLimit>();

/** The faults of a request in the form it was written in. For the `service` form our own reader decides. */
function faultsOf(row: Row, { args }: ProjectedRequest, to: Form): readonly string[] {
  const written = onWire(args);
  if (to === 'service') return inService(row, written);
  const validate = schemasOf(to).validatorOf(requestPath(to, row) ?? '');
  if (validate(written)) return [];
  return withoutOverlaps(validate.errors ?? [], to)
    .map(({ instancePath, message = '', params }) => {
      const place = instancePath.replaceAll(/\d+/g, '#');
      return `${place} ${message} ${JSON.stringify(params).slice(0, 90)}`;
    })
    .filter((fault) => !deviation.test(fault));
}

function inService(row: Row, written: JsonObject): readonly string[] {
  const spec: AnyTaskSpec = taskTable[row];
  const read = spec.readRequest(written, { dialect: 'ads', form: 'service' }, new Map());
  return read.ok ? [] : read.error.map(({ code, field = '', message }) => `${field} ${code} ${message}`);
}

const isPublished = (form: Form, row: Row): boolean =>
  form === 'service'
    ? row !== onlyModern && releases.some((release) => requestPath(release, row) !== undefined)
    : requestPath(form satisfies Release, row) !== undefined;
const cells = rows.flatMap((row) =>
  forms.flatMap((from) =>
    forms.filter((to) => isPublished(from, row) && isPublished(to, row)).map((to) => ({ row, from, to })),
  ),
);

describe('a request of one form', () => {
  it('is checked against every other, or the number of unchecked ones is printed', () => {
    const skipped = schemasAreThere ? 0 : cells.length;
    if (skipped > 0) console.warn(`published schemas absent: ${skipped} ways of requests were not held`);
    expect(rows.filter((row) => !cells.some((cell) => cell.row === row))).toEqual([]);
  });

  for (const { row, from, to } of schemasAreThere ? cells : [])
    it(
      `is valid in ${to}, or refused with a code, if a caller of ${from} requests ${row}`,
      () => {
        const faults = new Set<string>();
        const untold = new Set<string>();
        let held = 0;
        for (const message of requestsIn(row, from)) {
          const sent = sentTo(row, message, from, to);
          if (sent === undefined) continue;
          held += 1;
          if (sent.notExpressible === undefined)
            for (const fault of faultsOf(row, sent, to)) faults.add(fault);
          else
            expect(sent.notExpressible).toMatchObject({
              code: 'UNSUPPORTED_FEATURE',
              field: expect.any(String),
            });
          for (const { field = '' } of sent.findings) {
            const limit = isInTable(taskTable[row].name, to, pathOf(field));
            if (limit === undefined) untold.add(`${to}: ${pathOf(field)}`);
            else needed.add(limit);
          }
        }
        expect([...faults]).toEqual([]);
        expect([...untold]).toEqual([]);
        expect(held).toBeGreaterThan(0);
      },
      slowestMs,
    );

  it('loses exactly what the table of losses names', () => {
    const idle = Object.values(requestLimits)
      .flat()
      .filter((limit) => !needed.has(limit));
    expect(schemasAreThere ? idle : []).toEqual([]);
  });
});
