import { expect } from 'chai'
import { WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { imageOverride } from '../builders.ts'
import { canariesIn } from '../integration/canaries.ts'
import { IMAGE, previewOf } from './blue-greens.ts'
import { ALL_KINDS, gatedForksIn, type Kind, usesAllKinds } from './gated-forks.ts'

const SIZE = 4
const nameOf = (kind: Kind) => `later-${kind.toLowerCase()}`

/** Three kinds at once, each with a limit of its own. */
const TIMEOUT_MS = 240_000

describe('a fork that becomes gated, of each kind, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const place = usesAllKinds(WITH_CUT_OVER)
  const { says, shows } = canariesIn(place)
  const { aSource, aService, seen, comesTo } = gatedForksIn(place)

  /** The three kinds side by side. */
  const ofEachKind = (title: string, test: (name: string, kind: Kind) => Promise<void>) =>
    it(title, () => Promise.all(ALL_KINDS.map((kind) => test(nameOf(kind), kind))).then(() => undefined))

  /** The answer to a change of the spec of `name`. */
  const edit = (name: string, spec: object) =>
    place().kubectl(['patch', `expd/${name}`, '--type=merge', '-p', JSON.stringify({ spec })])

  /** The most pods of the fork that its Service lists until `until` is over. */
  async function mostListed(name: string, until: Promise<unknown>): Promise<number> {
    let [most, isOver] = [0, false]
    const over = until.finally(() => {
      isOver = true
    })
    over.catch(() => undefined) // awaited below
    while (!isOver) most = Math.max(most, (await seen(name)).listed)
    await over
    return most
  }

  ofEachKind('N2: loses its pods first, has no more requests than before, and then none', async (name, kind) => {
    await aSource(kind, name, SIZE)
    await aService(previewOf(name), name)
    await place().experiment(name, { source: name, kind, replicas: 1, overrideSpec: imageOverride(IMAGE) })
    await comesTo(name, { pods: 1, listed: 1, others: SIZE })
    const blueGreen = { activeService: name, previewService: previewOf(name), abortScaleDownDelaySeconds: 1 }
    const { code, text } = await edit(name, { strategy: { blueGreen } })
    expect(code, text).to.equal(0)
    expect(text).to.contain('[Plan] first the fork loses its pods, which have no gate: nothing can shut them')
    expect(text).to.match(/\[Plan\] updates .*: 0 pods/)
    expect(await mostListed(name, shows(name, '2/10 Paused'))).to.be.at.most(1)
    await comesTo(name, { pods: SIZE, open: 0, listed: 0, others: SIZE, revisions: 1 })
    await comesTo(name, { listed: SIZE, others: 0 }, previewOf(name))
  })

  ofEachKind('N2: becomes ungated again, and has the requests of all of its pods', async (name) => {
    await says(name, 'abort')
    await shows(name, '4/4 Aborted')
    expect((await edit(name, { strategy: null, replicas: 2 })).code).to.equal(0)
    await comesTo(name, { pods: 2, listed: 2, others: SIZE })
    await place().reaches(name, 'Available')
  })

  ofEachKind('N2: opens as many pods as its first weight needs, after it had none', async (name) => {
    const strategy = { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } }
    expect((await edit(name, { strategy, traffic: { mode: 'Gated' } })).code).to.equal(0)
    expect(await mostListed(name, shows(name, '1/5 Paused'))).to.be.at.most(SIZE)
    await comesTo(name, { pods: SIZE, open: SIZE, listed: SIZE, revisions: 1 })
  })

  ofEachKind('N2: becomes ungated while all of its pods are shut, and while it goes on', async (name) => {
    expect((await edit(name, { strategy: { canary: { steps: [{ setWeight: 0 }, { pause: {} }] } } })).code).to.equal(0)
    await shows(name, '1/5 Paused')
    await comesTo(name, { pods: 2, open: 0, listed: 0 })
    const strategy = { canary: { steps: [{ setWeight: 30 }, { pause: {} }] } }
    expect((await edit(name, { strategy, traffic: null })).code).to.equal(0)
    await shows(name, '1/5 Paused')
    await comesTo(name, { pods: 2, listed: 2, others: SIZE })
  })
})
