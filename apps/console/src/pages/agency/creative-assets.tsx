import { IconPhoto, IconVideo } from '@tabler/icons-react';
import type { JsonObject, JsonValue } from '../../api/client.js';
import { isObject, textAt } from '../../api/task.js';
import { FactList, Panel } from '../../parts/panel.js';
import { Name } from '../../parts/name.js';
import './creative.css';

/** The assets of a creative, each with its preview where this console may show it, and its facts. */
export function Assets({ of: assets }: { readonly of: JsonValue | undefined }) {
  const rows = isObject(assets)
    ? Object.entries(assets).flatMap(([name, one]) => (isObject(one) ? [[name, one] as const] : []))
    : [];
  if (rows.length === 0)
    return (
      <Panel title="Preview">
        <p className="panel-small">This creative has no assets here: its seller holds them.</p>
      </Panel>
    );
  return rows.map(([name, asset]) => (
    <Panel key={name} title={name.replaceAll('_', ' ')} about={typeOf(asset)}>
      <Preview asset={asset} />
      <FactList
        of={{
          Address: textAt(asset['url']) !== '' && <Name of={textAt(asset['url'])} most={300} />,
          Size:
            textAt(asset['width']) !== '' && `${textAt(asset['width'])} × ${textAt(asset['height'])} pixels`,
          Length:
            textAt(asset['duration_ms']) !== '' &&
            `${String(Number(textAt(asset['duration_ms'])) / 1_000)} s`,
        }}
      />
    </Panel>
  ));
}

/** A creative as a small picture: its first picture or film that is stored here, or what it is. */
export function Thumb({ of: creative }: { readonly of: JsonObject }) {
  const { assets } = creative;
  const own = isObject(assets) ? Object.values(assets).filter((one) => isObject(one)) : [];
  const shown = own.find((one) => isOurs(textAt(one['url'])) && /^(image|video)$/.test(typeOf(one)));
  const format = isObject(creative['format_id']) ? textAt(creative['format_id']['id']) : '';
  if (shown === undefined)
    return (
      <span className="thumb" aria-hidden="true">
        {/video/i.test(format) ? <IconVideo size={20} stroke={1.5} /> : <IconPhoto size={20} stroke={1.5} />}
      </span>
    );
  const url = textAt(shown['url']);
  return (
    <span className="thumb">
      {typeOf(shown) === 'image' ? (
        <img src={url} alt="" loading="lazy" />
      ) : (
        <video src={url} preload="metadata" muted tabIndex={-1} aria-hidden="true" />
      )}
    </span>
  );
}

const isOurs = (url: string): boolean => url.startsWith(`${location.origin}/creative-files/`);

/** So many characters of a text are shown. */
const mostText = 20_000;

const typeOf = (asset: JsonObject): string => textAt(asset['asset_type']).replaceAll('_', ' ');

/**
 * What is stored at this instance is shown. What lies elsewhere is not fetched: the host would learn who looks at it. HTML
 * and VAST stand in a frame without scripts of the console's origin (`sandbox`).
 */
function Preview({ asset }: { readonly asset: JsonObject }) {
  const [type, url, content] = [typeOf(asset), textAt(asset['url']), textAt(asset['content'])];
  if (content !== '' && type === 'html')
    return <iframe className="creative-frame" title="Preview: HTML" sandbox="" srcDoc={content} />;
  if (content !== '')
    return (
      <pre className="creative-text" tabIndex={0} aria-label={`Text: ${type}`}>
        {content.slice(0, mostText)}
      </pre>
    );
  if (!isOurs(url))
    return (
      <p className="panel-small">
        It lies at another host and is not loaded here, so that its host learns nothing of who looks at it.
      </p>
    );
  if (type === 'image') return <img className="creative-image" src={url} alt="" />;
  if (type === 'video') return <video className="creative-image" src={url} controls preload="metadata" />;
  return <iframe className="creative-frame" title={`Preview: ${type}`} sandbox="" src={url} />;
}
