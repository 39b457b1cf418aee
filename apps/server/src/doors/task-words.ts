export interface TaskWords {
  readonly title: string;
  readonly description: string;
}

/** What people and agents read about each task, by the task's name in the table. */
const words: Readonly<Record<string, TaskWords>> = {
  get_ads_capabilities: {
    title: 'Capabilities',
    description: 'What this agent can do, for which versions, and what it asks of callers. Public.',
  },
  get_products: {
    title: 'Find products',
    description:
      'Asks every sales seller at once with a brief in plain language and answers with one list of products, each naming its seller, and one row per seller asked. Without credentials: standard products without prices.',
  },
  get_signals: {
    title: 'Find signals',
    description:
      'Asks every signals agent at once for audience segments that fit a description, with coverage, price and where each is live.',
  },
  list_creative_formats: {
    title: 'List creative formats',
    description: 'The creative formats that the sellers accept, with what each one requires. Public.',
  },
  create_media_buy: {
    title: 'Create a media buy',
    description:
      'Buys packages from one or several sellers as one media buy. Spends money. Answers "submitted" with a task id when a seller needs time.',
  },
  get_media_buys: {
    title: 'Read media buys',
    description: 'The state of your media buys, over all sellers in them.',
  },
  get_media_buy_delivery: {
    title: 'Read delivery',
    description: 'What your media buys have delivered and spent, in total and per package.',
  },
  activate_signal: {
    title: 'Activate a signal',
    description: 'Makes a signal usable on a platform or at a sales agent, and brings its activation key.',
  },
  get_task: {
    title: 'Read a task',
    description: 'How far a task that answered "submitted" has come, and its result once there is one.',
  },
};

/** Words for a task; a task too new to have any still has its name. */
export function describeTask(name: string): TaskWords {
  return words[name] ?? { title: name.replaceAll('_', ' '), description: `The task ${name}.` };
}
