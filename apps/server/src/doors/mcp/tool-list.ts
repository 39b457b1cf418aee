import { taskListings } from '../task-listing.js';

let tools: object | undefined;

/** `tools/list`: static, complete in one page, under the names of both dialects. */
export function toolList(): object {
  tools ??= {
    tools: taskListings().map((task) => ({
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
    })),
  };
  return tools;
}
