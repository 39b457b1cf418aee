import type { Agent } from '../agent/agent.js';
import { creativeAgentUrl } from '../creatives/formats.js';
import type { FormatType } from '../creatives/format-type.js';
import { objectOf, textOf, type JsonObject } from '../json.js';
import { done, type Outcome } from '../agent/outcome.js';
import { unable } from '../agent/unable.js';
import type { SeededFormat } from '../creatives/seeded-format.js';

/** Adds a creative format to the list. Without an agent in the fixture it belongs to the market's own creative agent. */
export function seedCreativeFormat(_agent: Agent, params: JsonObject): Outcome {
  const id = textOf(params['format_id']);
  if (id === undefined || !/^[a-zA-Z0-9_-]{1,128}$/.test(id))
    return unable('INVALID_PARAMS', 'format_id is letters, digits, dashes and underscores, up to 128');
  const fixture = objectOf(params['fixture']) ?? {};
  const requested = textOf(fixture['agent_url']) ?? creativeAgentUrl;
  if (!URL.canParse(requested)) return unable('INVALID_PARAMS', 'fixture.agent_url is no URL');
  const format: SeededFormat = {
    agentUrl: requested.replace(/\/$/, ''),
    id,
    name: textOf(fixture['name']) ?? id.replaceAll('_', ' '),
    type: typeOf(textOf(fixture['type']) ?? id),
  };
  return done({ success: true, message: 'It is on the list.' }, { format });
}

/** A fixture names the type; else it follows from the id, as in most lists. */
function typeOf(word: string): FormatType {
  if (/video|olv|ctv/i.test(word)) return 'video';
  return /audio/i.test(word) ? 'audio' : 'display';
}
