import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A cgroup that limits memory, as a container runtime makes one for each container. */
export interface MemoryLimit {
  /** a process whose id is written into this file is limited, with all that it starts */
  readonly procs: string
  /** how many of its processes were killed because they needed more */
  readonly killed: () => number
  /** Removes it; all of its processes must have ended. */
  readonly remove: () => void
}

/** The names of files in the two versions of cgroups: the kernel's documents `memory.rst` and `cgroup-v2.rst`. */
const VERSIONS = [
  { root: '/sys/fs/cgroup/memory', limit: 'memory.limit_in_bytes', events: 'memory.oom_control' },
  { root: '/sys/fs/cgroup', limit: 'memory.max', events: 'memory.events' },
] as const

/** Undefined where this process may not make one, because it is not root or the system is read-only. */
export function memoryLimit(name: string, bytes: number): MemoryLimit | undefined {
  for (const { root, limit, events } of VERSIONS) {
    const folder = join(root, name)
    try {
      mkdirSync(folder)
    } catch {
      continue // there is no such version, or no permission
    }
    const remove = () => rmdirSync(folder)
    // without it the folder is in another file system, or memory is not counted below this root
    if (!existsSync(join(folder, limit))) {
      remove()
      continue
    }
    try {
      writeFileSync(join(folder, limit), `${bytes}`)
    } catch (error) {
      remove()
      throw error
    }
    const killed = () => Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, events), 'utf8'))?.[1])
    return { procs: join(folder, 'cgroup.procs'), killed, remove }
  }
  return undefined
}
