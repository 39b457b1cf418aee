/** Scenarios that fail by design in every revision, with the reason. One that passes is to be taken out of here. */
const sampleTools = 'It calls tools of a sample server, which no other server has.';
const notOffered = 'Resources, prompts, completions and logging are not offered, and initialize says so.';
const noInput =
  'No task asks its client for input, sampling or roots while it runs, and it wants such a sample tool.';
const extension =
  'The extension for tasks is not offered: tasks are followed by get_task_status and by webhooks.';

const of = (why, ...names) => names.map((name) => [name, why]);

export const expected = new Map([
  ...of(
    sampleTools,
    ...['tools-call-simple-text', 'tools-call-image', 'tools-call-audio', 'tools-call-embedded-resource'],
    ...['tools-call-mixed-content', 'tools-call-error', 'tools-call-with-progress', 'json-schema-2020-12'],
    'http-custom-header-server-validation',
  ),
  ...of(
    notOffered,
    ...['logging-set-level', 'completion-complete', 'tools-call-with-logging', 'caching'],
    ...['resources-list', 'resources-read-text', 'resources-read-binary', 'resources-templates-read'],
    ...['resources-subscribe', 'resources-unsubscribe', 'prompts-list', 'prompts-get-simple'],
    ...['prompts-get-with-args', 'prompts-get-embedded-resource', 'prompts-get-with-image'],
  ),
  ...of(
    noInput,
    ...['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults'],
    ...['elicitation-sep1330-enums', 'server-stateless'],
    ...[
      'basic-elicitation',
      'basic-sampling',
      'basic-list-roots',
      'request-state',
      'multiple-input-requests',
    ].map((name) => `input-required-result-${name}`),
    ...['multi-round', 'non-tool-request', 'result-type', 'tampered-state', 'capability-check'].map(
      (name) => `input-required-result-${name}`,
    ),
  ),
  ...of(
    extension,
    ...['lifecycle', 'capability-negotiation', 'wire-fields', 'request-state-removal', 'mrtr-input'].map(
      (name) => `tasks-${name}`,
    ),
    ...['request-headers', 'dispatch-and-envelope', 'required-task-error', 'mrtr-composition'].map(
      (name) => `tasks-${name}`,
    ),
  ),
]);
