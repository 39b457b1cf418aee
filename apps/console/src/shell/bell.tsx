import { Menu as Dropdown, Text } from '@mantine/core';
import { IconBell } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { api } from '../api/client.js';
import { clean } from '../parts/name.js';
import { agoText } from '../parts/time.js';
import { useAnswer, useRefresh } from '../parts/use-rows.js';

/** How many notices the bell shows. */
const shown = '10';

/** What the person is told, newest first, and how much of it is unread. */
export function Bell() {
  const answer = useAnswer('GET /v1/notices', { query: { limit: shown } });
  const refresh = useRefresh();
  const { notices = [], unread = 0 } = answer.data ?? {};
  const read = async (ids?: readonly string[]): Promise<void> => {
    await api('POST /v1/notices/read', { body: ids === undefined ? {} : { notice_ids: [...ids] } });
    await refresh();
  };
  return (
    <Dropdown position="bottom-end" width={380}>
      <Dropdown.Target>
        <button
          type="button"
          className="icon-button"
          aria-label={unread === 0 ? 'Notices: none unread' : `Notices: ${countText(unread)} unread`}
        >
          <IconBell size={17} stroke={1.7} aria-hidden="true" />
          {unread > 0 && (
            <span className="count" aria-hidden="true">
              {countText(unread)}
            </span>
          )}
        </button>
      </Dropdown.Target>
      <Dropdown.Dropdown>
        {notices.length === 0 && <Dropdown.Label>There are no notices.</Dropdown.Label>}
        {notices.map(({ notice_id: id, title, text, path, at, read_at: readAt }) => {
          const { to, search } = placeIn(path);
          return (
            <Dropdown.Item
              key={id}
              onClick={() => void read([id])}
              renderRoot={(props) => <Link to={to} search={search as never} {...props} />}
            >
              <Text size="sm" fw={readAt === undefined ? 600 : 400}>
                {clean(title, 160)}
              </Text>
              <Text size="xs" c="dimmed">
                {agoText(at)}
                {text !== undefined && `: ${clean(text, 120)}`}
              </Text>
            </Dropdown.Item>
          );
        })}
        <Dropdown.Divider />
        {unread > 0 && <Dropdown.Item onClick={() => void read()}>Mark all as read</Dropdown.Item>}
        <Dropdown.Item renderRoot={(props) => <Link to="/account" search={{} as never} {...props} />}>
          What reaches you, and how
        </Dropdown.Item>
      </Dropdown.Dropdown>
    </Dropdown>
  );
}

/** The server counts up to a hundred. */
const countText = (count: number): string => (count >= 100 ? '99+' : String(count));

function placeIn(path: string) {
  const [to = '/', query = ''] = path.split('?');
  return { to, search: Object.fromEntries(new URLSearchParams(query)) };
}
