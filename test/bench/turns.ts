/** Processor time of this thread so far, in milliseconds: without other programs, and without its helping threads. */
export function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** The processor time of the longest turn of the event loop during `work`. */
export async function longestTurnMs(work: () => unknown): Promise<number> {
  let longest = 0
  let isOver = false
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const watch = async () => {
    for (let before = threadMs(); !isOver; before = threadMs()) {
      await turn()
      longest = Math.max(longest, threadMs() - before)
    }
  }
  const watching = watch()
  await work()
  await turn()
  isOver = true
  await watching
  return longest
}
