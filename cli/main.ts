import { realTimers } from '../common/program/clock.ts'
import { connector } from './cluster/connect.ts'
import { answerTo } from './process/ask.ts'
import { EXIT } from './process/exit-codes.ts'
import type { Io } from './process/io.ts'
import { terminalOf } from './process/terminal.ts'
import { writes } from './program.ts'
import { runProgram } from './run.ts'

const { stdin, stdout, stderr, env: vars } = process

const interrupt = new AbortController()
process.on('SIGINT', () => {
  if (interrupt.signal.aborted) process.exit(EXIT.interrupted) // somebody does not want to wait
  interrupt.abort(new Error('interrupted'))
})
const ask = (question: string) => answerTo(question, { input: stdin, output: stderr, signal: interrupt.signal })

const terminal = terminalOf(stdout, vars)
const io: Io = {
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  ...(terminal ? { terminal } : {}),
  ...(stdin.isTTY && stdout.isTTY ? { ask } : {}),
  ...{ vars, clock: () => new Date(), timers: realTimers(), random: Math.random, signal: interrupt.signal },
}
const connect = connector({ ...io, isTerminal: stdin.isTTY === true })

const words = process.argv.slice(2)
// whoever reads the output has seen enough, as `head` does; a command is given all the same
for (const stream of [stdout, stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (!writes(words)) process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed)
  })
if (words[0] === '__complete') await (await import('./complete.ts')).complete(words.slice(1), { io, connect })
else process.exitCode = await runProgram(words, { io, connect })
