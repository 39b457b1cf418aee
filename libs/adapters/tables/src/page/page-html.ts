import type { PageDocument, PageTable } from './page-document.js';

/** The document as one page of HTML without scripts; every text is escaped. `links` are of renderings beside it. */
export function pageHtml(
  document: PageDocument,
  links: readonly { readonly name: string; readonly href: string }[] = [],
): string {
  const {
    language,
    from,
    title,
    subtitle,
    mark,
    lead,
    parties = [],
    facts,
    figures = [],
    bars,
    tables,
    notes,
    proof,
  } = document;
  return [
    `<!doctype html><html lang="${text(language)}"><head><meta charset="utf-8">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `<title>${text(title)}</title><style>${pageStyle}</style></head><body><main>`,
    `<header>${mark === undefined ? '' : `<span class="mark" aria-hidden="true">${text(mark)}</span>`}<div>`,
    `<p class="from">${text(from)}</p><h1>${text(title)}</h1>`,
    ...(subtitle === undefined ? [] : [`<p class="sub">${text(subtitle)}</p>`]),
    '</div></header>',
    ...(lead === undefined ? [] : [`<p class="lead">${text(lead)}</p>`]),
    ...(parties.length === 0
      ? []
      : [
          `<section class="parties">${parties
            .map(
              ({ name, lines }) => `<div><h2>${text(name)}</h2><p>${lines.map(text).join('<br>')}</p></div>`,
            )
            .join('')}</section>`,
        ]),
    `<dl>${facts.map(([name, value]) => `<div><dt>${text(name)}</dt><dd>${text(value)}</dd></div>`).join('')}</dl>`,
    ...(figures.length === 0
      ? []
      : [
          `<section class="figures">${figures
            .map(
              ({ name, value, note = '' }) =>
                `<div><span>${text(name)}</span><b>${text(value)}</b><small>${text(note)}</small></div>`,
            )
            .join('')}</section>`,
        ]),
    ...(bars === undefined ? [] : [barsHtml(bars)]),
    ...tables.map(tableHtml),
    ...notes.map((note) => `<p class="note">${text(note)}</p>`),
    ...(links.length === 0
      ? []
      : [
          `<p class="links">${links.map(({ name, href }) => `<a href="${text(href)}">${text(name)}</a>`).join(' ')}</p>`,
        ]),
    `<footer>${proof.map((line) => `<p>${text(line)}</p>`).join('')}</footer></main></body></html>`,
  ].join('\n');
}

/** Bars as a picture: the policy of the page allows no styles of single elements. */
function barsHtml({ name, unit, bars }: NonNullable<PageDocument['bars']>): string {
  const largest = Math.max(...bars.map(({ value, planned = 0 }) => Math.max(value, planned)), 0);
  const height = (value: number): number =>
    largest > 0 ? Math.max(0, Math.round((value / largest) * 100)) : 0;
  const rects = bars.map(({ label, value, text: shown }, at) => {
    const tall = height(value);
    const place = `x="${String(at * 10 + 1)}" y="${String(100 - tall)}" width="8" height="${String(tall)}"`;
    return `<rect ${place}><title>${text(label)}: ${text(shown)}</title></rect>`;
  });
  const steps = bars.flatMap(({ planned }, at) =>
    planned === undefined
      ? []
      : [`M${String(at * 10)} ${String(100 - height(planned))}H${String(at * 10 + 10)}`],
  );
  const plan = steps.length === 0 ? '' : `<path class="plan" d="${steps.join('')}"></path>`;
  const legend = steps.length === 0 ? '' : '<p class="sub">The dashed line is the plan.</p>';
  const box = `viewBox="0 0 ${String(Math.max(bars.length, 1) * 10)} 100" preserveAspectRatio="none"`;
  return `<section><h2>${text(name)}, ${text(unit)}</h2><svg class="bars" ${box} role="img" aria-label="${text(name)}">${rects.join('')}${plan}</svg><p class="ends"><span>${text(bars[0]?.label ?? '')}</span><span>${text(bars.at(-1)?.label ?? '')}</span></p>${legend}</section>`;
}

function tableHtml({ name, columns, rows, sums = [] }: PageTable): string {
  const cells = (tag: string) => (row: readonly string[]) =>
    `<tr>${row.map((cell, at) => `<${tag}${columns[at]?.isFigure === true ? ' class="figure"' : ''}>${text(cell)}</${tag}>`).join('')}</tr>`;
  const head = cells('th')(columns.map((column) => column.name));
  return `<section><h2>${text(name)}</h2><div class="wide"><table><thead>${head}</thead><tbody>${rows.map(cells('td')).join('')}</tbody><tfoot>${sums.map(cells('td')).join('')}</tfoot></table></div></section>`;
}

/** A text in HTML, also within a quoted attribute. */
function text(plain: string): string {
  return plain.replaceAll(/[&<>"']/g, (character) => `&#${String(character.codePointAt(0) ?? 0)};`);
}

/** The hash of this text stands in the policy of the page: nothing else may style it. */
export const pageStyle = `body{margin:0;background:#f4f5f7;color:#1a1d21;font:15px/1.5 Inter,system-ui,sans-serif}
main{max-width:960px;margin:24px auto;padding:40px;background:#fff;border:1px solid #dfe2e6;border-radius:8px}
h1{margin:0;font-size:26px}h2{margin:28px 0 8px;font-size:15px}.from{margin:0 0 4px;color:#4b5563}.sub{margin:4px 0 0;color:#4b5563}
header{display:flex;gap:16px;align-items:center;padding-bottom:14px;border-bottom:2px solid #1a1d21}.mark{flex:none;width:48px;height:48px;border-radius:10px;background:#e3e7ee;display:grid;place-items:center;font-weight:600}.lead{font-size:17px;margin:20px 0 0;white-space:pre-line}
.parties{display:flex;flex-wrap:wrap;gap:48px}.parties p{margin:0}
dl{display:flex;flex-wrap:wrap;gap:12px 32px;margin:20px 0}dt{color:#4b5563;font-size:12px}dd{margin:0}
.figures{display:flex;flex-wrap:wrap;gap:12px}.figures div{flex:1;min-width:130px;padding:12px;border:1px solid #dfe2e6;border-radius:6px}
.figures span,.figures small{display:block;color:#4b5563;font-size:12px}.figures b{font-size:20px;font-variant-numeric:tabular-nums}
.bars{display:block;width:100%;height:120px;border-bottom:1px solid #9aa1ab}.bars rect{fill:#2f5fd0}.plan{fill:none;stroke:#1a1d21;stroke-width:1.5;stroke-dasharray:4 3;vector-effect:non-scaling-stroke}.ends{display:flex;justify-content:space-between;margin:2px 0 0;color:#4b5563;font-size:12px}
.wide{overflow-x:auto}table{width:100%;border-collapse:collapse}th{text-align:left;font-size:12px;color:#4b5563}
th,td{padding:6px 8px;border-bottom:1px solid #e8eaed;vertical-align:top}.figure{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
tfoot td{font-weight:600;border-bottom:0}.note{margin:16px 0 0}.links a{margin-right:16px}
footer{margin-top:32px;padding-top:12px;border-top:1px solid #dfe2e6;color:#4b5563;font-size:12px;overflow-wrap:anywhere}footer p{margin:0}
@media (max-width:640px){main{margin:0;padding:20px;border:0;border-radius:0}}
@media print{body{background:#fff}main{border:0;margin:0;max-width:none}.links{display:none}}`;
