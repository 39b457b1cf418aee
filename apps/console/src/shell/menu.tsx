import { NavLink, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import { may, type Me } from '../api/session.js';
import { areas, pages } from '../pages/registry.js';

/** The pages that a person may open, by area. */
export function Menu({ me, path }: { readonly me: Me; readonly path: string }) {
  const here = path.replace(/^\/console/, '') || '/';
  const [longest] = pages
    .filter((page) => page.inMenu && (here === page.path || here.startsWith(`${page.path}/`)))
    .sort((a, b) => b.path.length - a.path.length);
  // The menu is longer than most windows.
  useEffect(() => {
    document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [here]);
  return areas.map(({ area, title }) => {
    const own = pages.filter((page) => page.area === area && page.inMenu && may(me, page.needs));
    if (own.length === 0) return undefined;
    return (
      <nav key={area} aria-label={title}>
        <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={4}>
          {title}
        </Text>
        {own.map((page) => {
          const isHere = page.path === (longest?.path ?? here);
          return (
            <NavLink
              key={page.path}
              renderRoot={(props) => (
                <Link to={page.path} search={{} as never} activeOptions={{ exact: true }} {...props} />
              )}
              label={page.title}
              active={isHere}
              variant="light"
              py={5}
              {...(isHere && { 'aria-current': 'page' as const })}
            />
          );
        })}
      </nav>
    );
  });
}
