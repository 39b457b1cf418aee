import { createHmac } from 'node:crypto';
import { noticeBody, type NoticeConnector } from '@switchyard/events';
import type { EndpointChannel, Notice } from '@switchyard/store';
import { isoOf, type Instant, type JsonObject } from '@switchyard/values';
import { kindOf, type Severity } from './notice-kinds.js';
import type { NoticeText } from './notice-text.js';

/** What is sealed of an endpoint. */
export interface EndpointSecret {
  readonly url: string;
  /** Of a webhook: `whsec_` and the signing key in base64. Of PagerDuty: the routing key. */
  readonly key?: string;
  /** The signing key before the last rotation, valid until then. */
  readonly previous?: { readonly key: string; readonly until: Instant };
}

export interface ChannelMessage {
  /** Of the delivery: the same at each attempt. */
  readonly id: string;
  readonly organizationId: string;
  readonly notice: Notice;
  readonly text: NoticeText;
  /** The page of the object. */
  readonly link: string;
  readonly now: Instant;
}

/** A request to an endpoint: one POST. */
export interface ChannelPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Where PagerDuty takes events (Events API v2). */
export const pagerDutyUrl = 'https://events.pagerduty.com/v2/enqueue';

/** Channels of endpoints that the product itself has. */
export const builtInChannels: readonly string[] = ['webhook', 'slack', 'teams', 'pagerduty'];

/** Undefined where no connector of this process has the channel, or its connector writes nothing that can be sent. */
export function postOf(
  channel: EndpointChannel,
  secret: EndpointSecret,
  message: ChannelMessage,
  connectors: readonly NoticeConnector[] = [],
): ChannelPost | undefined {
  if (channel === 'webhook') return webhook(secret, message);
  const body = bodyOf(channel, secret, message, connectors);
  return body && { url: secret.url, headers: { 'Content-Type': 'application/json' }, body };
}

function bodyOf(
  channel: EndpointChannel,
  secret: EndpointSecret,
  message: ChannelMessage,
  connectors: readonly NoticeConnector[],
): Buffer | undefined {
  if (channel === 'slack') return bytesOf(slack(message));
  if (channel === 'teams') return bytesOf(teams(message));
  if (channel === 'pagerduty') return bytesOf(pagerDuty(message, secret.key ?? ''));
  const connector = connectors.find((one) => one.channel === channel);
  if (connector === undefined) return undefined;
  const { id, notice, text, link } = message;
  const { kind, objectKind, objectId, at } = notice;
  return noticeBody(connector, {
    ...{ id, kind, severity: severityOf(kind), title: text.title, link, at: isoOf(at) },
    object: { kind: objectKind, id: objectId },
    ...(text.body !== undefined && { body: text.body }),
  });
}

const bytesOf = (body: JsonObject): Buffer => Buffer.from(JSON.stringify(body), 'utf8');

/** Of an incoming webhook of Slack. Its text is `mrkdwn`, where three signs are escaped. */
function slack({ text: { title, body }, link }: ChannelMessage): JsonObject {
  const safe = (line: string): string =>
    line.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const more = body === undefined ? '' : `\n${safe(body)}`;
  return {
    text: safe(title),
    blocks: [
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `*${safe(title)}*${more}\n<${link}|Open in Switchyard>` },
      },
    ],
  };
}

/** Of a workflow of Teams: an adaptive card. */
function teams({ text: { title, body }, link }: ChannelMessage): JsonObject {
  const block = (text: string, more: JsonObject): JsonObject => ({
    type: 'TextBlock',
    text,
    wrap: true,
    ...more,
  });
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [block(title, { weight: 'Bolder' }), ...(body === undefined ? [] : [block(body, {})])],
          actions: [{ type: 'Action.OpenUrl', title: 'Open in Switchyard', url: link }],
        },
      },
    ],
  };
}

/** What ends the incident of another kind of the same object. */
const ends: Readonly<Record<string, string>> = { 'seller.recovered': 'seller.failing' };

/** An event of PagerDuty. One episode has one `dedup_key`, so a repeated event opens no second incident. */
function pagerDuty(
  { notice, text: { title, body }, link, organizationId }: ChannelMessage,
  key: string,
): JsonObject {
  const { kind, objectKind, objectId, dedupeKey, at } = notice;
  const isEpisode = Object.entries(ends).flat().includes(kind);
  const episode = isEpisode ? `${ends[kind] ?? kind}:${objectId}` : dedupeKey;
  return {
    routing_key: key,
    event_action: kind in ends ? 'resolve' : 'trigger',
    dedup_key: `${organizationId}:${episode}`.slice(0, 255),
    payload: {
      summary: title,
      source: `/organizations/${organizationId}`,
      severity: severityOf(kind),
      timestamp: isoOf(at),
      component: `${objectKind} ${objectId}`,
      custom_details: { kind, ...(body !== undefined && { text: body }) },
    },
    links: [{ href: link, text: 'Open in Switchyard' }],
  };
}

const severityOf = (kind: string): Severity => kindOf(kind)?.severity ?? 'info';

/** What a system of the organization is sent: an event of CloudEvents 1.0 in its JSON format. */
export function eventOf({ id, notice, organizationId, text, link }: Omit<ChannelMessage, 'now'>): JsonObject {
  const { kind, objectKind, objectId, data } = notice;
  return {
    specversion: '1.0',
    id,
    source: `/organizations/${organizationId}`,
    type: `com.switchyard.${kind}.v1`,
    subject: `${objectKind}/${objectId}`,
    time: isoOf(notice.at),
    datacontenttype: 'application/json',
    data: {
      object: { kind: objectKind, id: objectId },
      severity: severityOf(kind),
      title: text.title,
      ...(text.body !== undefined && { text: text.body }),
      link,
      facts: data,
    },
  };
}

/**
 * A webhook for a system of the organization: the headers of Standard Webhooks 1.0 and the event as body. Its id is the
 * delivery's at each attempt, so that a receiver can drop what it has.
 */
function webhook({ url, key = '', previous }: EndpointSecret, message: ChannelMessage): ChannelPost {
  const { id, now } = message;
  const body = bytesOf(eventOf(message));
  const timestamp = String(Math.floor(now / 1000));
  const keys = [key, ...(previous !== undefined && previous.until > now ? [previous.key] : [])];
  return {
    url,
    body,
    headers: {
      'Content-Type': 'application/cloudevents+json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': keys.map((each) => signature(each, `${id}.${timestamp}.`, body)).join(' '),
    },
  };
}

function signature(key: string, head: string, body: Buffer): string {
  const bytes = Buffer.from(key.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', bytes).update(head).update(body).digest('base64')}`;
}
