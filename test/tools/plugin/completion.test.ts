import { expect } from 'chai'
import { usesPlugin } from './plugin.ts'
import { ACCOUNTS, usesScenes } from './scenes.ts'

/** Of cobra: complete no names of files. */
const NO_FILES = ':4'

describe('the completion of kubectl, with the plugin', () => {
  usesScenes()
  const plugin = usesPlugin()

  /** The lines that kubectl gives to a shell. It logs the rest to standard error. */
  async function completed(...words: readonly string[]): Promise<readonly string[]> {
    const { code, stdout } = await plugin().kubectl(['__complete', 'experiment', ...words], { as: ACCOUNTS.alice })
    expect(code).to.equal(0)
    return stdout.trimEnd().split('\n')
  }

  it('offers the commands', async () => {
    expect(await completed('')).to.include.members(['promote\tgive the change to the source', NO_FILES])
    expect(await completed('res')).to.deep.equal(['resume\tlet a run that is paused go on', NO_FILES])
  })

  it('offers flags and their values', async () => {
    expect(await completed('status', 'paused', '--ti')).to.deep.equal([
      '--timeout\thow long to wait, such as 10m; 0: without end',
      NO_FILES,
    ])
    expect(await completed('status', 'paused', '--for', 'p')).to.deep.equal(['paused', 'passed', 'promoted', NO_FILES])
  })

  it('offers the experiments of the namespace that is meant', async () => {
    expect(await completed('get', 'sta')).to.deep.equal([
      'stalled\tStalled, deployment/cart-stalled',
      'starting\tProgressing, deployment/cart-starting',
      NO_FILES,
    ])
    expect(await completed('get', '--namespace=default', '')).to.deep.equal([NO_FILES])
  })

  it('offers nothing, and says nothing, where it cannot ask', async () => {
    const { stdout, stderr } = await plugin().kubectl(
      ['__complete', 'experiment', 'get', '--server=http://127.0.0.1:9', ''],
      { as: ACCOUNTS.alice },
    )
    expect(stdout).to.equal(`${NO_FILES}\n`)
    expect(stderr).to.not.contain('error')
  })
})
