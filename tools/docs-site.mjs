/**
 * Writes the documentation as static pages: every page of docs/ with the README as its front, a search that needs no server, and
 * a reference of the HTTP API.
 *
 *   node tools/docs-site.mjs FOLDER     after `npm run build`
 *
 * A link that leads to no page, file or heading of this repository ends it with exit code 1.
 */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [folder] = process.argv.slice(2);
if (folder === undefined) {
  console.error('Usage: node tools/docs-site.mjs FOLDER');
  process.exit(2);
}
const site = resolve(folder);
const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
/** The anchor of a heading, as GitHub makes it. */
const anchorOf = (text) =>
  text
    .toLowerCase()
    .replace(/<[^>]*>|[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replace(/\s/g, '-');

const markdownIn = (path) =>
  readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) => {
    const inner = posix.join(path, entry.name);
    return entry.isDirectory() ? markdownIn(inner) : entry.name.endsWith('.md') ? [inner] : [];
  });
const sources = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md', ...markdownIn('docs')];
const placeOf = (source) => (source === 'README.md' ? 'index.html' : source.replace(/\.md$/, '.html'));
const files = new Set();
const faults = [];
const links = [];

function pageOf(source) {
  const text = readFileSync(join(root, source), 'utf8');
  const place = placeOf(source);
  const anchors = new Set();
  const sections = [];
  const link = (href) => {
    if (/^[a-z]+:/.test(href)) return href;
    const [path, anchor] = href.split('#');
    const target = path === '' ? source : posix.normalize(posix.join(posix.dirname(source), path));
    const isPage = sources.includes(target);
    const folderPage = `${target.replace(/\/$/, '')}/README.md`;
    if (isPage || sources.includes(folderPage)) {
      const page = isPage ? target : folderPage;
      if (anchor !== undefined) links.push({ source, page, anchor });
      const way = posix.relative(posix.dirname(place), placeOf(page));
      return `${path === '' ? '' : way}${anchor === undefined ? '' : `#${anchor}`}`;
    }
    if (!existsSync(join(root, target))) faults.push(`${source}: ${href} leads nowhere`);
    else if (/\.(png|svg|jpg)$/.test(target)) files.add(target);
    else return undefined;
    return posix.relative(posix.dirname(place), target);
  };
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const inner = this.parser.parseInline(tokens);
        const anchor = anchorOf(inner.replace(/&#?\w+;/g, ''));
        anchors.add(anchor);
        sections.push({ anchor, title: inner.replace(/<[^>]*>/g, ''), text: '' });
        return `<h${depth} id="${anchor}">${inner}</h${depth}>\n`;
      },
      paragraph({ tokens }) {
        const inner = this.parser.parseInline(tokens);
        const last = sections.at(-1);
        if (last !== undefined) last.text += ` ${inner.replace(/<[^>]*>/g, '')}`;
        return `<p>${inner}</p>\n`;
      },
      link({ href, tokens }) {
        const to = link(href);
        const inner = this.parser.parseInline(tokens);
        return to === undefined ? inner : `<a href="${escaped(to)}">${inner}</a>`;
      },
      image({ href, text: alt }) {
        const to = link(href);
        return to === undefined ? '' : `<img src="${escaped(to)}" alt="${escaped(alt)}">`;
      },
      // Pages of this repository hold no HTML.
      html: ({ text: raw }) => escaped(raw),
    },
  });
  const body = marked.parse(text);
  const title = sections[0]?.title ?? source;
  return { source, place, body, title, anchors, sections };
}

/** The reference: an entry for each operation, by noun, from what the server says of itself. */
async function referenceOf() {
  const { openApi } = await import(join(root, 'apps/server/dist/main/openapi.js'));
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const { paths, tags, components } = openApi('https://switchyard.example', version);
  const text = (schema) => escaped(JSON.stringify(schema, null, 2));
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const sections = [];
  const parts = tags.map(({ name, description = '' }) => {
    const own = all.filter((operation) => operation.tags?.includes(name));
    const entries = own.map((operation) => {
      const {
        operationId,
        method,
        path,
        summary = '',
        description: about = '',
        parameters = [],
        requestBody,
        responses,
      } = operation;
      sections.push({
        anchor: operationId,
        title: `${method.toUpperCase()} ${path}`,
        text: `${summary} ${about}`,
      });
      const json = (holder) => holder?.content?.['application/json']?.schema;
      const [status, answer] = Object.entries(responses).find(([code]) => code.startsWith('2')) ?? [];
      return `<h3 id="${operationId}"><code>${method.toUpperCase()} ${escaped(path)}</code></h3>
<p>${escaped(summary)}. ${escaped(about)}</p>
${parameters.length === 0 ? '' : `<ul>${parameters.map((one) => `<li><code>${escaped(one.name)}</code> (${one.in}${one.required ? ', required' : ''}) ${escaped(one.description ?? '')}</li>`).join('')}</ul>`}
${json(requestBody) === undefined ? '' : `<details><summary>Body</summary><pre>${text(json(requestBody))}</pre></details>`}
${json(answer) === undefined ? '' : `<details><summary>Answer ${status}</summary><pre>${text(json(answer))}</pre></details>`}`;
    });
    return `<h2 id="tag-${escaped(name)}">${escaped(name)}</h2><p>${escaped(description)}</p>${entries.join('\n')}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<details id="schema-${name}"><summary>${name}</summary><pre>${text(schema)}</pre></details>`,
  );
  return {
    source: 'reference',
    place: 'reference.html',
    title: 'HTTP API',
    body: `<h1>HTTP API</h1>${parts.join('\n')}<h2 id="schemas">Schemas</h2>${schemas.join('\n')}`,
    anchors: new Set(),
    sections,
    operations: all.length,
  };
}

const style = `body{font:16px/1.55 system-ui,sans-serif;margin:0;display:grid;grid-template-columns:260px minmax(0,1fr);color:#1c1c1c;background:#fff}
nav{padding:16px;height:100vh;overflow:auto;position:sticky;top:0;border-right:1px solid #ddd;box-sizing:border-box;font-size:14px}
nav a{display:block;padding:2px 0;color:inherit;text-decoration:none}nav a[aria-current]{font-weight:600}main{padding:16px 32px 80px;max-width:900px}
pre{overflow:auto;background:#f5f5f3;padding:12px;font-size:13px}code{font-size:.9em}table{border-collapse:collapse;display:block;overflow:auto}
td,th{border:1px solid #ddd;padding:4px 8px;text-align:left;vertical-align:top}img{max-width:100%}input{width:100%;box-sizing:border-box;padding:6px}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}pre{background:#222}td,th,nav{border-color:#444}a{color:#9bf}}
@media(max-width:700px){body{display:block}nav{position:static;height:auto}}`;

/** The search: every word of the question must begin a word of a section. Titles count more. */
const search = `const at=document.currentScript.dataset.root,box=document.getElementById('q'),out=document.getElementById('found');let index;
box.addEventListener('input',async()=>{index??=await(await fetch(at+'search.json')).json();const words=box.value.toLowerCase().split(/\\s+/).filter(Boolean);out.replaceChildren();
if(words.length===0)return;const hits=index.map(([to,title,text])=>{const t=title.toLowerCase(),b=' '+text.toLowerCase();return{to,title,score:words.every(w=>t.includes(w)||b.includes(' '+w))?words.filter(w=>t.includes(w)).length+1:0}}).filter(h=>h.score).sort((a,b)=>b.score-a.score).slice(0,20);
for(const h of hits){const a=document.createElement('a');a.href=at+h.to;a.textContent=h.title;out.append(a)}if(hits.length===0)out.textContent='Nothing found.'});`;

const pages = [...sources.map(pageOf), await referenceOf()];
const byPath = new Map(pages.map((page) => [page.source, page]));
for (const { source, page, anchor } of links)
  if (byPath.get(page)?.anchors.has(anchor) !== true)
    faults.push(`${source}: ${page} has no heading #${anchor}`);
const write = (place, text) => {
  const path = join(site, place);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
for (const { place, title, body } of pages) {
  const up = '../'.repeat(place.split('/').length - 1);
  const menu = pages.map(
    (page) =>
      `<a href="${up}${page.place}"${page.place === place ? ' aria-current="page"' : ''}>${page.title}</a>`,
  );
  write(
    place,
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} - Switchyard</title>
<link rel="stylesheet" href="${up}style.css"><nav aria-label="Pages"><label>Search<input id="q" type="search"></label><div id="found" role="status"></div>${menu.join('')}</nav><main>${body}</main>
<script src="${up}search.js" data-root="${up}"></script></html>\n`,
  );
}
write(
  'llms.txt',
  `# Switchyard\n\n${pages.map(({ title, place }) => `- [${title}](${place})`).join('\n')}\n`,
);
write('style.css', style);
write('search.js', search);
write(
  'search.json',
  JSON.stringify(
    pages.flatMap(({ place, title, sections }) =>
      sections.map((section) => [
        `${place}#${section.anchor}`,
        section.title === title ? title : `${title}: ${section.title}`,
        section.text.trim().slice(0, 2_000),
      ]),
    ),
  ),
);
for (const file of files) {
  mkdirSync(dirname(join(site, file)), { recursive: true });
  copyFileSync(join(root, file), join(site, file));
}
for (const fault of faults) console.error(fault);
console.log(
  `${pages.length} pages in ${relative(process.cwd(), site) || '.'}, ${pages.at(-1).operations} operations, ${faults.length} faults.`,
);
process.exit(faults.length === 0 ? 0 : 1);
