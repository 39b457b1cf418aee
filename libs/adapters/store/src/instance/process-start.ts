import { readFileSync } from 'node:fs';

/**
 * When a process started, in the kernel's clock ticks since boot, with the boot id. A pid and this text identify one
 * process for ever, while a pid alone is reused. Undefined if there is no such process.
 */
export function processStart(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may contain anything, so fields are counted after it: field 3 is the state.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z') return undefined;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${fields[19] ?? ''}`;
  } catch {
    return undefined;
  }
}
