import type { XmlElement } from '@switchyard/tables';

/** A text that fits, or the children in their order: `?` may be absent, `+` may come again. */
type Rule = RegExp | readonly (readonly [name: string, rule: Rule])[];

const id35 = /^[A-Za-z0-9/\-?:().,'+ ]{1,35}$/;
const name70 = /^[A-Za-z0-9/\-?:().,'+ ]{1,70}$/;
const count = /^[0-9]{1,15}$/;
const decimal = /^\d{1,15}(\.\d{1,2})?$/;
const iban = /^[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{1,30}$/;
const bic = /^[A-Z0-9]{4}[A-Z]{2}[A-Z0-9]{2}([A-Z0-9]{3})?$/;
const account: Rule = [['Id', [['IBAN', iban]]]];
const agent: Rule = [
  [
    'FinInstnId',
    [
      ['BICFI?', bic],
      ['Othr?', [['Id', /^NOTPROVIDED$/]]],
    ],
  ],
];

/**
 * The part of ISO 20022's pain.001.001.09 that our files use: names, order, how often, and the form of texts, narrowed to
 * what SEPA takes (EPC132-08): names of 70 characters, and the characters of EPC217-08.
 */
const document: Rule = [
  [
    'CstmrCdtTrfInitn',
    [
      [
        'GrpHdr',
        [
          ['MsgId', id35],
          ['CreDtTm', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ?$/],
          ['NbOfTxs', count],
          ['CtrlSum', decimal],
          ['InitgPty', [['Nm', name70]]],
        ],
      ],
      [
        'PmtInf+',
        [
          ['PmtInfId', id35],
          ['PmtMtd', /^TRF$/],
          ['BtchBookg?', /^(true|false)$/],
          ['NbOfTxs?', count],
          ['CtrlSum?', decimal],
          ['PmtTpInf?', [['SvcLvl', [['Cd', /^SEPA$/]]]]],
          ['ReqdExctnDt', [['Dt', /^\d{4}-\d\d-\d\d$/]]],
          ['Dbtr', [['Nm', name70]]],
          [
            'DbtrAcct',
            [
              ['Id', [['IBAN', iban]]],
              ['Ccy?', /^[A-Z]{3}$/],
            ],
          ],
          ['DbtrAgt', agent],
          ['ChrgBr?', /^(DEBT|CRED|SHAR|SLEV)$/],
          [
            'CdtTrfTxInf+',
            [
              ['PmtId', [['EndToEndId', id35]]],
              ['Amt', [['InstdAmt', decimal]]],
              ['CdtrAgt?', agent],
              ['Cdtr', [['Nm', name70]]],
              ['CdtrAcct', account],
              ['RmtInf?', [['Ustrd', /^[A-Za-z0-9/\-?:().,'+ ]{1,140}$/]]],
            ],
          ],
        ],
      ],
    ],
  ],
];

/** What of a file is not as the schema says; empty if it is. */
export const faultsOfPain = (root: XmlElement): readonly string[] => [
  ...(root.name === 'Document' ? [] : ['The root is no Document.']),
  ...faultsOf(root, document, 'Document'),
  ...sumFaults(root),
];

function faultsOf(element: XmlElement, rule: Rule, path: string): readonly string[] {
  if (rule instanceof RegExp)
    return rule.test(element.text) ? [] : [`${path} cannot be ${JSON.stringify(element.text)}.`];
  const faults: string[] = [];
  let at = 0;
  for (const [named, inner] of rule) {
    const name = named.replace(/[?+]$/, '');
    const from = at;
    for (let child = element.children[at]; child?.name === name; child = element.children[at]) {
      faults.push(...faultsOf(child, inner, `${path}/${name}`));
      at += 1;
      if (!named.endsWith('+')) break;
    }
    if (at === from && !named.endsWith('?')) faults.push(`${path}/${name} is missing here.`);
  }
  const rest = element.children[at];
  return rest === undefined ? faults : [...faults, `${path}/${rest.name} is not expected here.`];
}

/** Counts and control sums are those of the transfers below them. */
function sumFaults(element: XmlElement): readonly string[] {
  const all = (name: string, of: XmlElement): readonly XmlElement[] =>
    of.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(name, child)]);
  const textOf = (name: string, of: XmlElement): string =>
    of.children.find((child) => child.name === name)?.text ?? '';
  const cents = (text: string): number => Math.round(Number(text) * 100);
  const heads = all('GrpHdr', element).map((head) => [head, element] as const);
  const parts = all('PmtInf', element).map((part) => [part, part] as const);
  return [...heads, ...parts].flatMap(([head, below]) => {
    const amounts = all('InstdAmt', below);
    const sum = amounts.reduce((total, { text }) => total + cents(text), 0);
    return [
      ...(textOf('NbOfTxs', head) === String(amounts.length)
        ? []
        : [`${head.name}: another number of transfers.`]),
      ...(cents(textOf('CtrlSum', head)) === sum ? [] : [`${head.name}: another control sum.`]),
      ...amounts.flatMap(({ attributes }) =>
        /^[A-Z]{3}$/.test(attributes['Ccy'] ?? '') ? [] : ['No currency.'],
      ),
    ];
  });
}
