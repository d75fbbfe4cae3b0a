import { readFileSync } from 'node:fs'

/** Whether no such process runs. A zombie is gone: it waits for an init process that collects it, which not every container has. */
export function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return true
  }
  try {
    return /^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return process.platform === 'linux' // elsewhere there is no /proc to ask, and it is alive
  }
}
