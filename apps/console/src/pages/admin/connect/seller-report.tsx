import { Button, CopyButton } from '@mantine/core';
import { IconCopy, IconDownload } from '@tabler/icons-react';
import type { Answer } from '../../../api/client.js';
import { Name } from '../../../parts/name.js';
import { Panel } from '../../../parts/panel.js';
import { saveFile } from '../../../parts/save-file.js';
import { useAnswer } from '../../../parts/use-rows.js';

type Finding = Answer<'GET /v1/sellers/{slug}/report'>['findings'][number];

const grades: Readonly<Record<Finding['grade'], readonly [tone: string, words: string]>> = {
  blocks: ['bad', 'Nobody can buy'],
  limits: ['warn', 'Something does not work'],
  cosmetic: ['', 'Nothing is lost'],
};

/** What a seller should repair, in words that can be sent to it: as text to copy, or as a file. */
export function SellerReport({ slug }: { readonly slug: string }) {
  const { data } = useAnswer('GET /v1/sellers/{slug}/report', { params: { slug } });
  if (data === undefined) return undefined;
  return (
    <Panel
      title="Report to the seller"
      about={
        data.findings.length === 0
          ? 'nothing to repair was found'
          : `${data.findings.length} to repair, without our secrets`
      }
      acts={
        <>
          <CopyButton value={data.markdown}>
            {({ copied, copy }) => (
              <Button size="xs" variant="default" leftSection={<IconCopy size={15} />} onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={15} />}
            onClick={() => saveFile(`connection-test-${slug}.md`, 'text/markdown', data.markdown)}
          >
            Download
          </Button>
        </>
      }
    >
      {data.findings.length === 0 ? (
        <p className="panel-small">The report says which checks it passed.</p>
      ) : (
        <ul className="findings">
          {data.findings.map((finding, at) => {
            const [tone, words] = grades[finding.grade];
            return (
              <li key={at}>
                <span className="pill" data-tone={tone}>
                  {words}
                </span>
                <b>
                  <Name of={finding.task} most={80} />: <Name of={finding.came} most={300} />
                </b>
                <small>
                  <Name of={finding.cost} most={300} /> <Name of={finding.mend} most={300} />
                </small>
              </li>
            );
          })}
        </ul>
      )}
    </Panel>
  );
}
