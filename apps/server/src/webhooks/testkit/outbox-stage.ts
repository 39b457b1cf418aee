import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import type { Dispatch } from '../out/dispatch-events.js';
import { openOutboxSpec, openReceiver, type OutboxSpec, type Receiver } from './outbox.js';

/** The shared state of an outbox suite's tests. */
export interface OutboxStage {
  /** The same for all tests of the suite. */
  readonly spec: OutboxSpec;
  /** A new one for each test, closed at its end. */
  readonly receiver: Receiver;
  /** Started at the first use in a test, and stopped at the test's end. A test may assign another one. */
  dispatch: Dispatch;
}

/** Opens a stage for the calling suite, and closes it with the suite. */
export function useOutboxStage(): OutboxStage {
  let spec: OutboxSpec;
  let receiver: Receiver;
  let dispatch: Dispatch | undefined;
  beforeAll(async () => {
    spec = await openOutboxSpec();
  });
  beforeEach(async () => {
    receiver = await openReceiver();
  });
  afterEach(async () => {
    await dispatch?.stop();
    dispatch = undefined;
    await receiver.close();
  });
  afterAll(() => spec.close());
  return {
    get spec() {
      return spec;
    },
    get receiver() {
      return receiver;
    },
    get dispatch() {
      return (dispatch ??= spec.dispatch());
    },
    set dispatch(started) {
      dispatch = started;
    },
  };
}
