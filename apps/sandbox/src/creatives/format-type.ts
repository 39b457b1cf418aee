export type FormatType = 'display' | 'video' | 'audio';
