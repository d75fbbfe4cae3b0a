import { expect } from 'chai'
import type { Connect } from '../../cli/cluster/connection.ts'
import { complete } from '../../cli/complete.ts'
import type { Io } from '../../cli/process/io.ts'
import { realTimers } from '../../common/program/clock.ts'
import { FASTER_CART, PluginStore } from './a-plugin.ts'
import { aSteered, NOW } from './some-experiments.ts'

const CONNECTED: Connect = async ({ namespace = 'shop' }) => ({
  client: new PluginStore(namespace === 'shop' ? { [FASTER_CART]: aSteered({ run: {} }) } : {}),
  namespace,
})

async function completed(words: readonly string[], connect = CONNECTED): Promise<readonly string[]> {
  let out = ''
  const io: Io = {
    out: (text) => {
      out += text
    },
    err: (text) => expect.fail(`printed ${text}`),
    ...{ vars: {}, clock: () => NOW, timers: realTimers(), random: () => 0, signal: new AbortController().signal },
  }
  await complete(words, { io, connect })
  return out.split('\n')
}

describe('the completion of words', () => {
  it('has commands with what they do', async () => {
    expect(await completed(['re'])).to.deep.equal([
      'resume\tlet a run that is paused go on',
      'retry\tbegin a run again that was aborted',
      ':4',
      '',
    ])
    expect(await completed([''])).to.have.length.above(12)
  })

  it('has the flags of a command, but none that is hidden', async () => {
    expect(await completed(['promote', 'x', '--y'])).to.deep.equal(['--yes\tdo not ask', ':4', ''])
    expect((await completed(['status', '--'])).join(' '))
      .to.contain('--timeout')
      .and.not.contain('--no-watch')
  })

  it('has the values of a flag', async () => {
    expect(await completed(['get', '-o', 'y'])).to.deep.equal(['yaml', ':4', ''])
    expect(await completed(['status', 'x', '--for', 'pa'])).to.deep.equal(['paused', 'passed', ':4', ''])
    expect(await completed(['get', '-n', ''])).to.deep.equal([':4', ''])
  })

  it('is about the command, although an experiment has the name of another one', async () => {
    expect(await completed(['promote', 'get', '--y'])).to.deep.equal(['--yes\tdo not ask', ':4', ''])
  })

  it('has the names of experiments, of the namespace of the flags', async () => {
    expect(await completed(['get', ''])).to.deep.equal(['faster-cart\tRunning, deployment/cart', ':4', ''])
    expect(await completed(['abort', '-n', 'till', ''])).to.deep.equal([':4', ''])
    expect(await completed(['abort', 'faster-cart', ''])).to.deep.equal([':4', ''])
    expect(await completed(['create', ''])).to.deep.equal([':4', ''])
  })

  it('has nothing, and no error, where the cluster cannot be reached or is slow', async () => {
    expect(await completed(['get', ''], () => Promise.reject(new Error('no kubeconfig')))).to.deep.equal([':4', ''])
    const before = Date.now()
    expect(await completed(['get', ''], () => new Promise(() => undefined))).to.deep.equal([':4', ''])
    expect(Date.now() - before).to.be.lessThan(5_000)
  })
})
