import { describe, expect, it } from '@jest/globals';
import { readAnswerBytes } from './answer-bytes.js';

const buy = { status: 'completed', media_buy_id: 'b1' };
const json = (message: object): Buffer => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: 7, ...message }));
const read = (protocol: 'mcp' | 'a2a', message: object) =>
  readAnswerBytes(protocol, 7, 'application/json', json(message));

describe('an answer read from forwarded bytes', () => {
  it('is the structured content of a tool, or its text', () => {
    const answer = { kind: 'answer', answer: { payload: buy, isError: false } };
    expect(read('mcp', { result: { structuredContent: buy } })).toEqual(answer);
    const content = [{ type: 'text', text: JSON.stringify(buy) }];
    expect(read('mcp', { result: { content } })).toEqual(answer);
  });

  it('is the last message with the id of the request, in an event stream', () => {
    const progress = 'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n';
    const bytes = Buffer.from(
      `${progress}data: ${json({ result: { structuredContent: buy } }).toString()}\r\n\r\n`,
    );
    expect(readAnswerBytes('mcp', 7, 'text/event-stream', bytes)).toMatchObject({ answer: { payload: buy } });
    expect(readAnswerBytes('mcp', 8, 'text/event-stream', bytes)).toEqual({ kind: 'unreadable' });
    const flood = Buffer.concat([Buffer.from('data: {\n\n'.repeat(10_000)), bytes]);
    expect(readAnswerBytes('mcp', 7, 'text/event-stream', flood)).toEqual({ kind: 'unreadable' });
  });

  it.each([
    [
      '0.3',
      {
        kind: 'task',
        id: 't',
        status: { state: 'completed' },
        artifacts: [{ parts: [{ kind: 'data', data: buy }] }],
      },
    ],
    [
      '1.0',
      {
        task: { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, artifacts: [{ parts: [{ data: buy }] }] },
      },
    ],
  ])('is the artifact of a task of A2A %s', (_generation, result) => {
    expect(read('a2a', { result })).toEqual({
      kind: 'answer',
      answer: { payload: buy, isError: false, a2a: { taskId: 't', state: 'completed' } },
    });
  });

  it('reports that nothing was executed only if the seller refused the request itself', () => {
    expect(read('mcp', { error: { code: -32601, message: 'no' } })).toEqual({ kind: 'not_executed' });
    expect(read('mcp', { error: { code: -32603, message: 'no' } })).toEqual({ kind: 'unreadable' });
    expect(readAnswerBytes('mcp', 7, 'application/json', Buffer.from('{'))).toEqual({ kind: 'unreadable' });
  });
});
