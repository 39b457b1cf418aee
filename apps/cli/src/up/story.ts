import type { Writable } from 'node:stream';
import pc from 'picocolors';

/** Prints progress: numbered steps, and lines under them. */
export interface Story {
  step(title: string): void;
  line(text: string): void;
  block(text: string): void;
}

export function storyWriter(out: Writable, color: boolean): Story {
  const colors = pc.createColors(color);
  let steps = 0;
  return {
    step: (title) => {
      steps += 1;
      out.write(`\n${colors.bold(`${steps}. ${title}`)}\n`);
    },
    line: (text) => out.write(`   ${text}\n`),
    block: (text) => {
      for (const each of text.split('\n')) out.write(`   ${each}\n`);
    },
  };
}
