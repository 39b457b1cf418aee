import { tasks, type AnyTaskSpec } from '@switchyard/protocol';
import { testControllerTool, testControllerWords } from '../../tasks/ports/test-controller.js';
import { describeTask } from '../task-words.js';
import { hintsOf, listedInput, listedOutput } from './tool-schemas.js';

let tools: readonly object[] | undefined;

const rehearsal = {
  name: testControllerTool,
  title: 'Put the sandbox market into a state',
  description: testControllerWords,
  inputSchema: {
    type: 'object',
    properties: {
      scenario: { type: 'string', description: 'list_scenarios names those that are known.' },
      params: { type: 'object' },
      account: { type: 'object' },
      context: { type: 'object' },
      ext: { type: 'object' },
    },
    required: ['scenario'],
  },
  outputSchema: { type: 'object', properties: { success: { type: 'boolean' }, error: { type: 'string' } } },
  // It can cancel a media buy of the sandbox.
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
};

/**
 * `tools/list`: static, complete in one page. Each task is listed under one name per dialect, in a form that every MCP
 * client accepts; calls may use its other names as well.
 */
export function toolList(rehearses: boolean): object {
  tools ??= tasks.flatMap((spec) => listedNames(spec).map((name) => toolOf(spec, name)));
  return { tools: rehearses ? [...tools, rehearsal] : tools };
}

/** The listed names of a task: model providers refuse a whole list for one name of another form. */
function listedNames({ names }: AnyTaskSpec): readonly string[] {
  const first = (all: readonly string[]) => all.find((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name));
  const listed = [first(names.ads), first(names.adcp)];
  return [...new Set(listed)].filter((name) => name !== undefined);
}

function toolOf(spec: AnyTaskSpec, name: string): object {
  return {
    name,
    ...describeTask(spec.name),
    inputSchema: listedInput(spec.inputSchema()),
    outputSchema: listedOutput(spec.name),
    annotations: hintsOf(spec),
  };
}
