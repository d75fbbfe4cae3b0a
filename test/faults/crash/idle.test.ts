import { expect } from 'chai'
import type { Actor } from './actor.ts'
import { IdleActors } from './idle.ts'

describe('controllers that runs have left', () => {
  const stopped: string[] = []
  const named = (name: string, env = {}) =>
    ({ name, env, stop: async () => void stopped.push(name) }) as unknown as Actor
  beforeEach(() => {
    stopped.length = 0
  })

  it('are taken by runs with the same variables, each once', async () => {
    const idle = new IdleActors()
    await idle.leave(named('plain'))
    await idle.leave(named('promoting', { PROMOTION: 'enabled' }))
    expect(idle.take({ PROMOTION: 'enabled' })?.name).to.equal('promoting')
    expect(idle.take({ PROMOTION: 'enabled' })).to.equal(undefined)
    expect(idle.take({})?.name).to.equal('plain')
    expect(stopped).to.deep.equal([])
  })

  it('are few: the first one is stopped', async () => {
    const idle = new IdleActors()
    for (const name of ['one', 'two', 'three', 'four', 'five']) await idle.leave(named(name))
    expect(stopped).to.deep.equal(['one'])
    await idle.stop()
    expect(stopped).to.have.members(['one', 'two', 'three', 'four', 'five'])
    await idle.stop()
    expect(stopped).to.have.length(5)
  })
})
