import type { PageDocument } from './page-document.js';

const escaped = (text: string): string =>
  text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');

const described = (names: string, inner: string): string =>
  `<rdf:Description rdf:about="" ${names}>${inner}</rdf:Description>\n`;

/** The name that Factur-X and ZUGFeRD 2 give the invoice in a PDF. */
export const eInvoiceName = 'factur-x.xml';

const facturX = 'urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#';

/** The properties of Factur-X, and what PDF/A asks to be said about them (ISO 19005-1, 6.7.8). */
const facturXProperties = {
  DocumentFileName: [eInvoiceName, 'The name of the embedded XML document'],
  DocumentType: ['INVOICE', 'The type of the hybrid document in capital letters'],
  Version: ['1.0', 'The version of the standard that the embedded XML document is of'],
  ConformanceLevel: ['EN 16931', 'The conformance level of the embedded XML document'],
} as const;

/** What a PDF says about itself as XMP: title, author and dates, and of a hybrid invoice what Factur-X asks for. */
export function pageMetadata({ title, from, madeAt, eInvoice }: PageDocument): string {
  const at = escaped(madeAt);
  const own = [
    described(
      'xmlns:xmp="http://ns.adobe.com/xap/1.0/"',
      `<xmp:CreateDate>${at}</xmp:CreateDate><xmp:ModifyDate>${at}</xmp:ModifyDate><xmp:CreatorTool>Switchyard</xmp:CreatorTool>`,
    ),
    described(
      'xmlns:dc="http://purl.org/dc/elements/1.1/"',
      `<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${escaped(title)}</rdf:li></rdf:Alt></dc:title>` +
        `<dc:creator><rdf:Seq><rdf:li>${escaped(from)}</rdf:li></rdf:Seq></dc:creator>`,
    ),
    described('xmlns:pdf="http://ns.adobe.com/pdf/1.3/"', '<pdf:Producer>PDFKit</pdf:Producer>'),
  ];
  if (eInvoice === undefined) return own.join('');
  const properties = Object.entries(facturXProperties);
  const declared = properties.map(
    ([name, [, words]]) =>
      `<rdf:li rdf:parseType="Resource"><pdfaProperty:name>${name}</pdfaProperty:name><pdfaProperty:valueType>Text</pdfaProperty:valueType>` +
      `<pdfaProperty:category>external</pdfaProperty:category><pdfaProperty:description>${words}</pdfaProperty:description></rdf:li>`,
  );
  const extension =
    `<pdfaExtension:schemas><rdf:Bag><rdf:li rdf:parseType="Resource"><pdfaSchema:schema>Factur-X PDFA Extension Schema</pdfaSchema:schema>` +
    `<pdfaSchema:namespaceURI>${facturX}</pdfaSchema:namespaceURI><pdfaSchema:prefix>fx</pdfaSchema:prefix>` +
    `<pdfaSchema:property><rdf:Seq>${declared.join('')}</rdf:Seq></pdfaSchema:property></rdf:li></rdf:Bag></pdfaExtension:schemas>`;
  return [
    ...own,
    described(
      Object.entries({ pdfaExtension: 'extension/', pdfaSchema: 'schema#', pdfaProperty: 'property#' })
        .map(([prefix, name]) => `xmlns:${prefix}="http://www.aiim.org/pdfa/ns/${name}"`)
        .join(' '),
      extension,
    ),
    described(
      `xmlns:fx="${facturX}"`,
      properties.map(([name, [value]]) => `<fx:${name}>${value}</fx:${name}>`).join(''),
    ),
  ].join('');
}
