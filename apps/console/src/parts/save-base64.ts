import { saveFile } from './save-file.js';

/** Downloads a file that an answer carries as base64. */
export const saveBase64 = (name: string, type: string, content: string): void =>
  saveFile(
    name,
    type,
    Uint8Array.from(atob(content), (character) => character.charCodeAt(0)),
  );
