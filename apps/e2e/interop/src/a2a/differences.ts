/** A case that both servers answer otherwise, and why ours stays as it is. */
export interface Difference {
  readonly ours: string;
  readonly theirs: string;
  readonly why: string;
}

const error = (code: number, id: unknown = 1): string => `200; id ${JSON.stringify(id)}; error ${code}`;
const is = (result: string, more = ''): string => `200; ${more}id 1; ${result}`;
const ended = '{artifacts contextId id status{state=TASK_STATE_COMPLETED timestamp}}';
const endedOlder = '{artifacts contextId id kind=task status{state=completed timestamp}}';
const finalEvent = '{contextId final=true kind=status-update status{state=completed timestamp} taskId}';

const noMessage = {
  ours: error(-32600),
  theirs: error(-32602),
  why: 'JSON-RPC 2.0 has -32600 for what is no message of it.',
};
const stricter = 'What fits no schema of A2A is refused with its place, and neither taken nor looked up.';
const finalOf03 = 'Clients of 0.3 wait for an event that is marked as the last.';
const beforeStream = 'What is refused before a stream begins is an answer in JSON.';
const nameDecides =
  'No name of a method is in both releases, so it says which one is meant, whatever the header says.';
const empty = {
  ours: is('{}'),
  theirs: is('null'),
  why: 'The schema of 1.0 answers an empty message here, which is {} in JSON.',
};

export const differences: Readonly<Record<string, Difference>> = {
  'CancelTask: an open task': {
    ours: is('{artifacts contextId id status{state=TASK_STATE_CANCELED timestamp}}'),
    theirs: is('{contextId id status{state=TASK_STATE_CANCELED timestamp}}'),
    why: 'A canceled task holds what each seller said to it.',
  },
  'SendMessage: no parts': {
    ours: error(-32602),
    theirs: is(`{task${ended}}`),
    why: 'Without a part there is no task to call.',
  },
  'SendMessage: no id': {
    ours: is(`{task${ended}}`),
    theirs: error(-32602),
    why: 'Nothing is done with the id of a message, so that clients which send none are served.',
  },
  'GetTask: a negative history': { ours: error(-32602), theirs: is(ended), why: stricter },
  'GetTask: a number': { ours: error(-32602), theirs: error(-32001), why: stricter },
  'Create: no address': { ours: error(-32602), theirs: is('{id taskId}'), why: stricter },
  ListTaskPushNotification: {
    ours: is('{configs[{id taskId url}] nextPageToken}'),
    theirs: is('{configs[{id taskId url}]}'),
    why: 'An empty token says as well that there is no further page.',
  },
  DeleteTaskPushNotification: empty,
  'Delete: once more': empty,
  'message/stream': {
    ours: is(`${endedOlder}; ${finalEvent}`, 'stream; '),
    theirs: is(endedOlder, 'stream; '),
    why: finalOf03,
  },
  'tasks/resubscribe: a task that has ended': {
    ours: is(`${endedOlder}; ${finalEvent}`, 'stream; '),
    theirs: `200; stream; id 1; error -32004`,
    why: 'A client of 0.3 that lost its stream still gets the end of the task.',
  },
  'tasks/resubscribe: an unknown task': {
    ours: error(-32001),
    theirs: '200; stream; id 1; error -32001',
    why: beforeStream,
  },
  'tasks/resubscribe: no task': {
    ours: error(-32602),
    theirs: '200; stream; id 1; error -32602',
    why: beforeStream,
  },
  'agent/getAuthenticatedExtendedCard': {
    ours: error(-32007),
    theirs: error(-32004),
    why: '0.3 has a code of its own for an agent without such a card.',
  },
  'version "0.3" with GetTask': { ours: is(ended), theirs: error(-32601), why: nameDecides },
  'version "1.0" with tasks/get': { ours: is(endedOlder), theirs: error(-32601), why: nameDecides },
  'a method of 1.0 without a version': { ours: is(ended), theirs: error(-32601), why: nameDecides },
  'version "1.0.3" with GetTask': {
    ours: is(ended),
    theirs: error(-32009),
    why: 'The third number of a version changes no message.',
  },
  nothing: { ours: error(-32700, null), theirs: error(-32602, null), why: 'An empty body is no JSON.' },
  'a batch': { ...noMessage, ours: error(-32600, null), theirs: error(-32602, null) },
  'a text': { ...noMessage, ours: error(-32600, null), theirs: error(-32700, null) },
  'no jsonrpc': noMessage,
  'another jsonrpc': noMessage,
  'no method': noMessage,
  'a number as method': noMessage,
  'an object as id': { ...noMessage, ours: error(-32600, null), theirs: error(-32602, {}) },
  'a fraction as id': { ...noMessage, ours: error(-32600, null), theirs: error(-32602, 1.5) },
  'null as id': {
    ours: error(-32600, null),
    theirs: `200; id null; ${ended}`,
    why: 'JSON-RPC has null for an id that could not be read, so an answer would be that of no request.',
  },
  'a notification': {
    ours: '202',
    theirs: `200; id null; ${ended}`,
    why: 'JSON-RPC lets nobody answer a notification.',
  },
};
