import { readFileSync } from 'node:fs'

/**
 * Whether no such process runs. A zombie counts as gone: it waits for an init process, which not every container has.
 */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return true
  }
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return process.platform === 'linux' // other systems have no /proc, and the process is alive
  }
}
