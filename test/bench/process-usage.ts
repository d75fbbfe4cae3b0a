import { readFile } from 'node:fs/promises'

/** What the kernel counts of a process. */
export interface Usage {
  /** processor time so far, in milliseconds */
  readonly cpuMs: number
  /** resident memory, in MiB */
  readonly residentMiB: number
  /** the most that was resident since its start, in MiB */
  readonly peakMiB: number
}

/** The kernel counts processor time in hundredths of a second, on every Linux. */
const MS_PER_TICK = 10
const KIB_PER_MIB = 1024
const BYTES_PER_MIB = 1024 * 1024

/** MiB in MB, millions of bytes, in which goals are given. */
export const inMB = (mib: number): number => (mib * BYTES_PER_MIB) / 1_000_000

/** Reads the usage of the process `pid`. @throws Error if it has ended */
export async function usageOf(pid: number): Promise<Usage> {
  const [stat, status] = await Promise.all(['stat', 'status'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')))
  return { cpuMs: cpuMsIn(stat ?? ''), ...memoryIn(status ?? '') }
}

/**
 * The processor time in `/proc/PID/stat`, of user and system. The name of the program may contain spaces and brackets.
 */
export function cpuMsIn(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
}

/** The memory in `/proc/PID/status`. */
export function memoryIn(status: string): Pick<Usage, 'residentMiB' | 'peakMiB'> {
  const mib = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / KIB_PER_MIB
  return { residentMiB: mib('VmRSS'), peakMiB: mib('VmHWM') }
}
