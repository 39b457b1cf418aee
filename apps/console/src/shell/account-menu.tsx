import { Menu as Dropdown, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import {
  IconKeyboard,
  IconLogout,
  IconMoon,
  IconRowInsertTop,
  IconSelector,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { signOut, type Me } from '../api/session.js';
import { Avatar } from '../parts/avatar.js';
import { Name } from '../parts/name.js';
import { useSingleKeys } from '../parts/single-keys.js';
import { forgetKept } from '../parts/use-kept.js';

/** The person, and what is theirs alone: the account, the look, and the way out. */
export function Account({ me }: { readonly me: Me }) {
  const client = useQueryClient();
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  const [density, setDensity] = useLocalStorage({
    key: 'switchyard.density',
    defaultValue: 'normal',
    getInitialValueInEffect: false,
  });
  useLayoutEffect(() => {
    document.documentElement.dataset['density'] = density;
  }, [density]);
  const [hasKeys, setKeys] = useSingleKeys();
  const leave = async (): Promise<void> => {
    const next = await signOut();
    client.clear();
    forgetKept();
    location.assign(next);
  };
  return (
    <Dropdown position="top-start" width={214}>
      <Dropdown.Target>
        <button type="button" className="account">
          <Avatar of={me.name} size={24} isPerson />
          <Name of={me.name} most={40} />
          <IconSelector size={15} stroke={1.7} aria-hidden="true" />
        </button>
      </Dropdown.Target>
      <Dropdown.Dropdown>
        <Dropdown.Item
          leftSection={<IconUserCircle size={15} stroke={1.7} />}
          renderRoot={(props) => <Link to="/account" search={{} as never} {...props} />}
        >
          Your account
        </Dropdown.Item>
        <Dropdown.Item
          leftSection={isDark ? <IconSun size={15} stroke={1.7} /> : <IconMoon size={15} stroke={1.7} />}
          onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
        >
          {isDark ? 'Light theme' : 'Dark theme'}
        </Dropdown.Item>
        <Dropdown.Item
          leftSection={<IconRowInsertTop size={15} stroke={1.7} />}
          onClick={() => setDensity(density === 'compact' ? 'normal' : 'compact')}
        >
          {density === 'compact' ? 'Normal rows' : 'Compact rows'}
        </Dropdown.Item>
        <Dropdown.Item
          leftSection={<IconKeyboard size={15} stroke={1.7} />}
          onClick={() => setKeys(!hasKeys)}
        >
          {hasKeys ? 'Switch single keys off' : 'Switch single keys on'}
        </Dropdown.Item>
        <Dropdown.Divider />
        <Dropdown.Item leftSection={<IconLogout size={15} stroke={1.7} />} onClick={() => void leave()}>
          Sign out
        </Dropdown.Item>
      </Dropdown.Dropdown>
    </Dropdown>
  );
}
