import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const source = fileURLToPath(new URL('../', import.meta.url));
const styles = dirname(createRequire(import.meta.url).resolve('@mantine/core/styles/Button.css'));

function sources(): readonly string[] {
  return readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.tsx'))
    .map((name) => readFileSync(join(source, name), 'utf8'));
}

describe('the styles of the component library', () => {
  it('are imported for every component that has some, and for no file that does not exist', () => {
    const styled = readdirSync(styles).filter((name) => !name.includes('.layer.'));
    const imported = [
      ...readFileSync(join(source, 'shell/styles.ts'), 'utf8').matchAll(
        /@mantine\/core\/styles\/([\w-]+\.css)/g,
      ),
    ].map(([, name = '']) => name);
    const used = sources()
      .flatMap((text) => [...text.matchAll(/import \{([^}]*)\} from '@mantine\/core'/g)])
      .flatMap(([, names = '']) =>
        names.split(',').map(
          (name) =>
            name
              .replace(/^\s*type /, '')
              .trim()
              .split(' ')[0] ?? '',
        ),
      );
    const needed = [...new Set(used)].map((name) => `${name}.css`).filter((name) => styled.includes(name));
    expect(needed.filter((name) => !imported.includes(name))).toEqual([]);
    expect(imported.filter((name) => !styled.includes(name))).toEqual([]);
    expect(needed.length).toBeGreaterThan(20);
  });

  it('name no color whose shades the build leaves out', () => {
    const config = readFileSync(join(source, '../vite.config.mjs'), 'utf8');
    const unused = /const unused = '([\w|]+)'/.exec(config)?.[1] ?? '';
    expect(unused).toContain('grape');
    const named = new RegExp(`(?:\\b(?:color|c|bg)="|mantine-color-)(?:${unused})\\b`);
    expect(sources().filter((text) => named.test(text))).toEqual([]);
  });
});
