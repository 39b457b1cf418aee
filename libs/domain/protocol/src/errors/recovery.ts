export type Recovery = 'transient' | 'correctable' | 'terminal';
