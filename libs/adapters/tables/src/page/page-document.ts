/** A column of a table of a page. `share` is its part of the width; figures stand at the right. */
export interface PageColumn {
  readonly name: string;
  readonly share: number;
  readonly isFigure?: boolean;
}

export interface PageTable {
  readonly name: string;
  readonly columns: readonly PageColumn[];
  readonly rows: readonly (readonly string[])[];
  /** Below the rows, in bold: one cell for each column. */
  readonly sums?: readonly (readonly string[])[];
}

/** An amount of each day, drawn as bars. */
export interface PageBars {
  readonly name: string;
  /** What the bars count, for example `EUR`. */
  readonly unit: string;
  readonly bars: readonly {
    readonly label: string;
    readonly value: number;
    readonly text: string;
    /** What was planned, drawn as a line. */
    readonly planned?: number;
  }[];
}

/** A document for people: the same model is written as PDF, as HTML and as a workbook. All texts are ready to be shown. */
export interface PageDocument {
  /** BCP 47. */
  readonly language: string;
  /** Of whom it is. */
  readonly from: string;
  readonly title: string;
  readonly subtitle?: string;
  /** Two letters in a tile beside the title, for whom it is. */
  readonly mark?: string;
  /** RFC 3339: the date in the file, independent of when it is written. */
  readonly madeAt: string;
  /** Blocks of lines beside one another, for example who bills and who is billed. */
  readonly parties?: readonly { readonly name: string; readonly lines: readonly string[] }[];
  /** Words of a person, above the figures. */
  readonly lead?: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The most important figures, large; five at most fit a line. */
  readonly figures?: readonly { readonly name: string; readonly value: string; readonly note?: string }[];
  readonly bars?: PageBars;
  readonly tables: readonly PageTable[];
  readonly notes: readonly string[];
  /** Where it comes from and how it is verified, small. */
  readonly proof: readonly string[];
  /** The same invoice as Cross Industry Invoice in the form of EN 16931: its PDF carries it, as Factur-X and ZUGFeRD do. */
  readonly eInvoice?: string;
}
