/** One request to a place for files. */
export interface PlaceRequest {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'PROPFIND' | 'MKCOL' | 'MOVE';
  /** Below the address of the place: begins with a slash, and is encoded as in an address. Empty for the place itself. */
  readonly path: string;
  /** Without a credential, which is added later. */
  readonly headers?: Readonly<Record<string, string>>;
  /** A path like `path`, sent as the header `Destination` with the whole address (RFC 4918, 10.3). */
  readonly destination?: string;
  readonly body?: Buffer;
}

export interface PlaceAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Sends a request below the address of the place. Rejects where the place cannot be reached, or the path leads elsewhere. */
export type AskPlace = (request: PlaceRequest) => Promise<PlaceAnswer>;

export interface PlacedFile {
  /** The last step of its path, as people read it. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * Where statements, exports and figures go, and invoices come from: a package outside of the core
 * (docs/guides/connectors.md#a-place-for-files). Paths are steps with slashes between them, as people read them.
 */
export interface FilePlace {
  readonly kind: 'files';
  /** Of its addresses, `SCHEME+https://HOST/FOLDER`: small letters and digits. */
  readonly scheme: string;
  /** For people. */
  readonly title: string;
  /** Stores a file, which is never seen in part, and replaces one of its name. Rejects where it is not stored. */
  readonly put: (file: { readonly path: string; readonly body: Buffer }, ask: AskPlace) => Promise<void>;
  /** Undefined where there is none. Rejects where that is not known. */
  readonly get: (path: string, ask: AskPlace) => Promise<Buffer | undefined>;
  /** The files right in a folder, empty for the place itself; a folder that is not there has none. */
  readonly list: (folder: string, ask: AskPlace) => Promise<readonly PlacedFile[]>;
}

const schemePattern = /^[a-z][a-z0-9]{0,20}$/;

/** Whether a place can be addressed by this name, beside those that are built in. */
export const isPlaceScheme = (name: string): boolean =>
  schemePattern.test(name) && !['s3', 'http', 'https', 'file'].includes(name);
