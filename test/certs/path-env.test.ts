import { expect } from 'chai'
import { nextPathEnv } from '../../certs/path-env.ts'

describe('nextPathEnv', () => {
  const next = (text: string, wantsNewPath = false) => nextPathEnv(text, { wantsNewPath, newSecret: () => 'NEW' })

  it('S4: creates, adds, replaces and drops, in steps that each can be applied without losing a call', () => {
    expect(next('')).to.deep.equal({ what: 'path secret created', text: 'current=NEW\n' })
    const added = next('current=OLD\n', true)
    expect(added).to.deep.equal({ what: 'path secret added beside the old one', text: 'current=OLD\nnext=NEW\n' })
    const replaced = next(added.text)
    expect(replaced).to.deep.equal({ what: 'path secret replaced', text: 'current=NEW\nprevious=OLD\n' })
    expect(next(replaced.text)).to.deep.equal({ what: 'path secret kept', text: 'current=NEW\n' })
  })

  it('does not begin another rotation before the last one has ended', () =>
    expect(next('current=A\nnext=B\n', true).text).to.equal('current=B\nprevious=A\n'))
})
