import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

const TRY_AGAIN_MS = 250

/** How to wait for a lock. */
interface LockOptions {
  /** Called once if another process has the lock. */
  readonly onWait: () => void
  /** Ends the wait with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Releases a lock. */
type Release = () => Promise<void>

/**
 * Waits until no other process of this machine has the lock called `name`, takes it, and returns what releases it.
 *
 * The lock is a socket in Linux's abstract namespace, where one process can listen on a name. The kernel releases it
 * when the process ends in any way, so a killed process leaves no stale lock behind, as a lock file would be. Processes
 * in other network namespaces do not see it.
 */
export async function lock(name: string, { onWait, signal }: LockOptions): Promise<Release> {
  const address = `\0${createHash('sha256').update(name).digest('hex')}` // an address has at most 107 characters
  for (let tries = 0; ; tries++) {
    signal?.throwIfAborted()
    const server = createServer()
    try {
      await once(server.listen(address), 'listening')
      return async () => void (await once(server.close(), 'close'))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
    if (tries === 0) onWait()
    await pause(TRY_AGAIN_MS)
  }
}
