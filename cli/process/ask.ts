import type { Readable, Writable } from 'node:stream'

interface Place {
  readonly input: Readable
  readonly output: Writable
  /** ends the question */
  readonly signal: AbortSignal
}

/**
 * The line that a person types after `question`; empty if the input ends before, as at Ctrl-D. The terminal stays as it
 * is, so that Ctrl-C is a signal here, too. @throws Error if `signal` aborts
 */
export async function answerTo(question: string, { input, output, signal }: Place): Promise<string> {
  const { createInterface } = await import('node:readline/promises')
  const lines = createInterface({ input, output, terminal: false })
  const { promise: ended, resolve } = Promise.withResolvers<undefined>()
  lines.once('close', () => resolve(undefined)) // the question itself would wait for ever
  try {
    const answer = await Promise.race([lines.question(question, { signal }), ended])
    if (answer === undefined) output.write('\n')
    return answer ?? ''
  } finally {
    lines.close()
  }
}
