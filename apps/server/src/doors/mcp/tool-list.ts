import { rehearsalTool, rehearsalWords } from '../../application/rehearsal.js';
import { taskListings } from '../task-listing.js';

let tools: readonly object[] | undefined;

const rehearsal = {
  name: rehearsalTool,
  title: 'Put the practice market into a state',
  description: rehearsalWords,
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
  annotations: { readOnlyHint: false, destructiveHint: false, openWorldHint: false },
};

/** `tools/list`: static, complete in one page, under the names of both dialects. */
export function toolList(rehearses: boolean): object {
  tools ??= taskListings().map((task) => ({
    name: task.name,
    title: task.title,
    description: task.description,
    inputSchema: task.inputSchema(),
    annotations: {
      title: task.title,
      readOnlyHint: task.readOnly,
      destructiveHint: false,
      openWorldHint: true,
    },
  }));
  return { tools: rehearses ? [...tools, rehearsal] : tools };
}
