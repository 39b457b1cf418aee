interface TaskDescription {
  readonly title: string;
  readonly description: string;
}

/** Titles and descriptions of tasks for people and agents, by the task's name in the table. */
const words: Readonly<Record<string, TaskDescription>> = {
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
  update_media_buy: {
    title: 'Change a media buy',
    description:
      'Pauses, resumes, cancels or changes a media buy and its packages, at the sellers it concerns. available_actions of get_media_buys says what is possible.',
  },
  sync_creatives: {
    title: 'Bring creatives into the library',
    description:
      'Keeps creatives in your library and brings each to the sellers that take its format. dry_run only shows what would happen.',
  },
  list_creatives: {
    title: 'Read the library of creatives',
    description: 'Your creatives with their state at each seller and their assignments, page by page.',
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
  list_tasks: {
    title: 'List tasks',
    description: 'Your tasks that answered "submitted", newest first, with filters and pages.',
  },
  cancel_task: {
    title: 'Cancel a task',
    description:
      'Calls off work that still goes on, at each seller that is at it, and says which seller refused. A media buy that was made already stays: cancel it with update_media_buy.',
  },
  list_authorized_properties: {
    title: 'List publishers',
    description: 'The publishers whose supply can be bought here, each with its sellers. Public.',
  },
  list_accounts: {
    title: 'List accounts',
    description: 'Your accounts here: pairs of a brand and an operator, each with the id that we issued.',
  },
  sync_accounts: {
    title: 'Declare accounts',
    description:
      'Declares pairs of brand and operator as your accounts, and closes those that are missing where you ask for it. dry_run only shows what would happen.',
  },
  provide_performance_feedback: {
    title: 'Give feedback',
    description: 'Tells the sellers of a media buy how well it did in a period. They may act on it, or not.',
  },
  report_usage: {
    title: 'Report usage',
    description:
      'Tells each vendor what of its signals or services was used and what is owed for it. Accepts and refuses record by record.',
  },
  get_task: {
    title: 'Read a task',
    description: 'How far a task that answered "submitted" has come, and its result once there is one.',
  },
  list_products: {
    title: 'List products',
    description:
      'The products of all sellers without a search, page by page. feed_version lets you buy at the listed prices for a day.',
  },
  request_proposals: {
    title: 'Ask for proposals',
    description:
      'Asks every seller for a plan by a brief, and answers with drafts and their terms, or with the products to buy where no seller makes plans.',
  },
  refine_proposals: {
    title: 'Change or finalize proposals',
    description:
      'Asks the sellers of proposals for a revision, or for a commitment to their terms until they expire.',
  },
  decline_proposals: {
    title: 'Decline proposals',
    description: 'Tells the sellers of proposals that they are not wanted, and why.',
  },
  buy_products: {
    title: 'Buy listed products',
    description: 'Buys products at the prices of a feed_version as one media buy. Spends money.',
  },
  accept_proposal: {
    title: 'Accept a proposal',
    description: 'Buys a committed proposal at the terms of its digest. Spends money.',
  },
  sync_agent_notification_configs: {
    title: 'Be told of changed capabilities',
    description:
      'Replaces the addresses that are told when what this agent offers changes. Each new one must answer a signed challenge.',
  },
  control_media_buy: {
    title: 'Control a media buy',
    description: 'Pauses, resumes, cancels or changes a media buy as far as its agreed terms allow.',
  },
};

/** The words of a task; a task without an entry gets its name. */
export function describeTask(name: string): TaskDescription {
  return words[name] ?? { title: name.replaceAll('_', ' '), description: `The task ${name}.` };
}
