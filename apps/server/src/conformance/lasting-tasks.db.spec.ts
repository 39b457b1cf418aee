import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Form } from '@switchyard/protocol';
import { judgeWire, PublishedJudge, tapTheWire, type Exchange } from '@switchyard/testing';
import type { JsonObject } from '@switchyard/values';
import { openLasting, type LastingStage, type Phase } from './testkit/lasting.js';
import { tasksUnderWay } from './testkit/submitted.js';

/** Every message about a task that lasts, in every published form: no cell of this table is empty without a reason. */
const forms: readonly Form[] = ['2.5', '3.0', '3.1'];
const steps: readonly Phase[] = ['working', 'input-required', 'completed'];
const reads = ['get_products', 'get_signals'];
/**
 * Requests of 2.5 that the `service` form has in the same words. Nobody names 2.5, so they are answered as that one
 * has it, of which no schema is published; and so is every caller of 2.5 that asks for a task by its id.
 */
const alike = ['get_signals', 'update_media_buy', 'activate_signal'];

const exchanges: Exchange[] = [];
let stage: LastingStage;
let stop: () => void;
beforeAll(async () => {
  stop = tapTheWire((exchange) => exchanges.push(exchange));
  stage = await openLasting();
});
afterAll(async () => {
  stop();
  await stage.close();
});

async function until<T>(look: () => Promise<T>, isSo: (seen: T) => boolean): Promise<T> {
  for (;;) {
    const seen = await look();
    if (isSo(seen)) return seen;
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

/** Follows tasks of one form through what their sellers become, as far as each task can. */
async function follow(form: Form, phases: readonly Phase[]): Promise<void> {
  stage.sellersAre('submitted');
  const begun: { readonly task: string; readonly id: string }[] = [];
  for (const task of tasksUnderWay) {
    const answer = await stage.call(task, form);
    expect(answer).toHaveProperty('task_id');
    begun.push({ task, id: typeof answer['task_id'] === 'string' ? answer['task_id'] : '' });
  }
  for (const phase of phases) {
    stage.sellersAre(phase);
    for (const { task, id } of begun) {
      // A question to the market is answered, or goes on: its sellers' steps are not told one by one.
      if (reads.includes(task) && phase !== 'completed' && phase !== 'failed') continue;
      const seen = await until(() => stage.look(id, form), isPast(task, phase));
      expect({ task, seen: seen['status'] }).toEqual({ task, seen: endOf(task, phase) });
    }
  }
  for (const { task, id } of begun) {
    const end = endOf(task, phases.at(-1) ?? 'completed');
    await until(
      () => Promise.resolve(stage.statuses(id)),
      (received) => received.includes(end),
    );
  }
}

/** A question whose sellers all fail is answered all the same, by nobody. */
const endOf = (task: string, phase: Phase): string =>
  phase === 'failed' && reads.includes(task) ? 'completed' : phase;
const isPast =
  (task: string, phase: Phase) =>
  ({ status }: JsonObject): boolean =>
    status === endOf(task, phase);

describe.each(forms)('long-running tasks, in %s', (form) => {
  it('go through every step to their end', () => follow(form, steps), 240_000);
  it('fail', () => follow(form, ['failed']), 240_000);
});

/** Cells that are empty, and why. */
const elsewhere = 'A signal is activated where it is: that of the suite is at the seller of 3.1 alone.';
const empty: Readonly<Record<string, string>> = {
  'request activate_signal 2.5': elsewhere,
  'request activate_signal 3.0': elsewhere,
};

describe('the table of messages', () => {
  const cells = forms.flatMap((form) =>
    tasksUnderWay.flatMap((task) => {
      const isRead = reads.includes(task);
      const ends = isRead ? ['completed'] : ['working', 'input-required', 'completed', 'failed'];
      const isNotified = form !== '2.5' || !alike.includes(task);
      return [
        `request ${task} ${form}`,
        ...(isNotified ? [`answer ${task} ${form} submitted`] : []),
        ...(form === '2.5' ? [] : ends.map((end) => `answer get_task of ${task} ${form} ${end}`)),
        ...(isNotified ? ends.map((end) => `webhook ${task} ${form} ${end}`) : []),
      ];
    }),
  );

  it('has no empty cell, and no message in it that does not conform', () => {
    const sideOf = ({ path }: Exchange) => (path.startsWith('/v1/tasks/') ? 'ours' : 'theirs');
    const { held, unpublished, faults } = judgeWire(exchanges, sideOf);
    expect(faults).toEqual([]);
    const wanted = cells.filter((cell) => !(cell in empty));
    // Without the schemas nothing is held, and it is seen later that schemas are published of all of them.
    const seen = new Set([...held.keys(), ...unpublished.keys()]);
    expect(cells.filter((cell) => !seen.has(cell))).toEqual(Object.keys(empty));
    if (held.size > 0) expect(wanted.filter((cell) => !held.has(cell))).toEqual([]);
    const judge = new PublishedJudge(expect.getState().testPath ?? '');
    judge.faultsOf({ kind: 'cells', where: 'the table of messages', wanted });
    judge.close();
  });
});
