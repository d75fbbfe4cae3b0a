import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../../sandbox/eventually.ts'
import { controlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS } from '../integration/product.ts'
import { recovers } from './oracles.ts'
import { preloaded } from './preloaded.ts'
import { inScene } from './scene.ts'
import { usesProductAlone } from './scoped.ts'

/** Forgets a promise that rejects when `file` is there. */
const forgetful = (file: string) =>
  preloaded(`
    import { existsSync } from 'node:fs'
    const looking = setInterval(() => {
      if (!existsSync(${JSON.stringify(file)})) return
      clearInterval(looking)
      void Promise.reject(new Error('nobody waits for me'))
    }, 50)`)

describe('a controller ends by itself, on the real control plane', function () {
  this.timeout(4 * DEADLINE_MS)
  usesProductAlone()

  it('O5: after it has converged and writes nothing more: the story fails with its last lines', async () => {
    const { stateDirectory, unexpectedExits } = await controlPlane()
    const file = join(stateDirectory, 'reject')
    let isQuiet = false
    const story = inScene(
      async ({ place }) => {
        await place.experiment('canary', { source: 'cart' })
        await recovers(place, { canary: 'Available' })
        isQuiet = true
        writeFileSync(file, '')
        await eventually('the controller to end', DEADLINE_MS, () => expect(unexpectedExits()).to.have.length(1))
      },
      { env: forgetful(file) },
    )
    const error = await story.then(() => 'it passed', String)
    expect(isQuiet, error).to.equal(true)
    expect(error).to.match(/scoped-\d+ ended by itself \(code 1\); its last lines:\n/)
    expect(error).to.contain('nobody waits for me')
    expect(unexpectedExits(), 'it is told once').to.deep.equal([])
  })
})
