import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { settingsTable } from './settings.js';
import { readConfiguration } from './read-configuration.js';

const page = join(import.meta.dirname, '../../../../../docs/runbooks/operate.md');

describe('the settings', () => {
  it('report all problems at once, each with the expected value, and show no secret', () => {
    const read = readConfiguration({
      SWITCHYARD_KEY_WAIT_SECONDS: '30m',
      SWITCHYARD_WEBHOOKS_PER_MINUTE: '-5',
      SWITCHYARD_WEBHOOK_BYTES_DAYS: '0',
      SWITCHYARD_WEBHOOK_ACTIVITY_DAYS: '29',
      SWITCHYARD_LOG_LEVEL: 'verbose',
      SWITCHYARD_KEYIDS_FLOOR: 'x',
      SWITCHYARD_RATE_WRITES: '0/5',
      SWITCHYARD_SPEND_LIMIT: '101',
      SWITCHYARD_TRUSTED_PROXIES: '10.0.0.0/33',
      DATABASE_URL: 'mysql://root:hunter2@db/x',
      SWITCHYARD_TLS_CERT_FILE: '/nowhere.pem',
      SWITCHYARD_ORGANIZATION_NAME: 'Nova\u202eAgency',
      SWITCHYARD_ORGANIZATION_DOMAIN: 'nova.example',
    });
    const lines = read.ok ? [] : read.error.message.split('\n');
    expect(lines.map((line) => line.split(' ')[0]).sort()).toEqual([
      'DATABASE_URL',
      'SWITCHYARD_KEYIDS_FLOOR',
      'SWITCHYARD_KEY_WAIT_SECONDS',
      'SWITCHYARD_LOG_LEVEL',
      'SWITCHYARD_ORGANIZATION_NAME',
      'SWITCHYARD_RATE_WRITES',
      'SWITCHYARD_SPEND_LIMIT',
      'SWITCHYARD_TLS_CERT_FILE',
      'SWITCHYARD_TRUSTED_PROXIES',
      'SWITCHYARD_WEBHOOKS_PER_MINUTE',
      'SWITCHYARD_WEBHOOK_ACTIVITY_DAYS',
      'SWITCHYARD_WEBHOOK_BYTES_DAYS',
    ]);
    expect(lines).toContain(
      'SWITCHYARD_KEY_WAIT_SECONDS should be a whole number from 0 to 9999999, in seconds. It is "30m".',
    );
    expect(lines.join()).not.toContain('hunter2');
  });

  it('refuse database options without its address, and an unreadable password', () => {
    const read = readConfiguration({
      DATABASE_PASSWORD_FILE: '/dev/null/nothing',
      DATABASE_OWNER_URL: 'postgresql://owner@db/x',
    });
    expect(read.ok || read.error.message.split('\n')).toEqual([
      'DATABASE_PASSWORD_FILE needs DATABASE_URL.',
      'DATABASE_OWNER_URL needs DATABASE_URL.',
      'The file of DATABASE_PASSWORD_FILE cannot be read.',
    ]);
  });

  it('name an unknown variable and the nearest one, except those of Kubernetes and of tests', () => {
    const read = readConfiguration({
      SWITCHYARD_WEBHOOK_PER_MINUTE: '5',
      SWITCHYARD_SERVICE_HOST: '10.0.0.1',
      SWITCHYARD_PORT_7420_TCP_ADDR: '10.0.0.1',
      SWITCHYARD_PUBLISHED_FOLDER: '/x',
    });
    expect(read).toMatchObject({
      error: {
        code: 'settings',
        message: 'SWITCHYARD_WEBHOOK_PER_MINUTE is no setting. Did you mean SWITCHYARD_WEBHOOKS_PER_MINUTE?',
      },
    });
  });

  it('have their defaults without a variable and with an empty one', () => {
    for (const env of [{}, { SWITCHYARD_KEY_WAIT_SECONDS: ' ', SWITCHYARD_LOG_LEVEL: '' }])
      expect(readConfiguration(env)).toMatchObject({
        value: { settings: { SWITCHYARD_KEY_WAIT_SECONDS: 1800, SWITCHYARD_LOG_LEVEL: 'warn' } },
      });
  });

  it('are documented for operators as in the table', () => {
    const rows = readFileSync(page, 'utf8').matchAll(/^\| `([A-Z_]+)` +\| (.+?) +\| (.*?) +\| (.+?) +\|$/gm);
    const onPage = [...rows].map(([, name, ...cells]) => [name, ...cells.map((cell) => cell.trim())]);
    const inTable = Object.entries(settingsTable).map(([name, row]) => [
      name,
      row.type,
      row.absentText,
      row.meaning,
    ]);
    expect(onPage).toEqual(inTable);
  });
});
