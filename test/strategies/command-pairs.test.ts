import { expect } from 'chai'
import { COMMAND } from '../../common/api/names.ts'
import { canariesIn } from '../integration/canaries.ts'
import { aNamespace } from '../integration/fixture.ts'
import { aSource, DEADLINE_MS, hasEndpoints, usesProduct } from '../integration/product.ts'

const PAIRS = Array.from({ length: 20 }, (_, index) => `pair-${index}`)
/** Pauses one after the other: a run is at the next one as soon as a command is obeyed. */
const PAUSES = [{ setWeight: 10 }, { pause: {} }, { pause: {} }, { pause: {} }]
/** The load: as many clients, and the most objects that they create. */
const CLIENTS = 6
const MOST = 3_000

describe('two equal commands at one moment, on a control plane that has other load', function () {
  this.timeout(6 * DEADLINE_MS) // the waits end earlier, with an error that names the reason
  const place = usesProduct()
  const { canary, shows } = canariesIn(place)

  before('a canary for each pair waits at its first pause', async () => {
    await aSource(place(), 'cart', { replicas: 9 })
    await hasEndpoints(place(), 'cart', 9)
    await Promise.all(PAIRS.map((name) => canary(name, PAUSES, { source: 'cart' })))
    await Promise.all(PAIRS.map((name) => shows(name, '1/7 Paused')))
  })

  /** Says `word` twice at one moment. Resolves to the answers of those that were refused. */
  async function refusals(name: string, word: string): Promise<readonly string[]> {
    const { api, path } = place()
    const say = () => api.patch(path('experiments', name), { metadata: { annotations: { [COMMAND]: word } } })
    const said = await Promise.allSettled([say(), say()])
    return said.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : []))
  }

  /** Creates objects in another namespace until `work` is done. Resolves to how many there are. */
  async function underLoad(work: () => Promise<void>): Promise<number> {
    const namespace = await aNamespace()
    let [created, isOver] = [0, false]
    const client = async () => {
      while (!isOver && created < MOST) {
        created += 1
        const object = { metadata: { generateName: 'load-' }, data: { text: 'x'.repeat(1_000) } }
        await place().api.create(`/api/v1/namespaces/${namespace}/configmaps`, object)
      }
    }
    const clients = Array.from({ length: CLIENTS }, client)
    await work().finally(() => {
      isOver = true
    })
    await Promise.all(clients)
    await place().api.delete(`/api/v1/namespaces/${namespace}`)
    return created
  }

  it('N7: of each pair one is carried out, and one is refused with the present step, with and without step=N', async () => {
    const created = await underLoad(async () => {
      for (const name of PAIRS) {
        const [bare = '', ...others] = await refusals(name, 'resume')
        expect(others, name).to.deep.equal([])
        expect(bare, name).to.match(/was given already, at step 2 of 7|the run came to step 3 of 7, Paused/)
        const first = await shows(name, '2/7 Paused')
        expect(first.status?.strategy?.command).to.include({ verb: 'resume', answer: 'Done' })
        const [bound = '', ...more] = await refusals(name, 'resume step=3')
        expect(more, name).to.deep.equal([])
        expect(bound, name).to.match(/was given already, at step 3 of 7|names step 3, and the run is at step 4 of 7/)
        const second = await shows(name, '3/7 Paused')
        expect(second.status?.strategy?.command).to.include({ verb: 'resume', answer: 'Done' })
      }
    })
    expect(created).to.be.greaterThan(PAIRS.length)
    for (const name of PAIRS) expect((await place().experimentAt(name)).status?.strategy?.stepIndex).to.equal(3)
  })

  it('N7: a patch with the resourceVersion that its author read is not repeated, but conflicts', async () => {
    const name = PAIRS.at(-1) ?? '' // nothing has changed it for a while
    const { metadata } = await place().experimentAt(name)
    const { resourceVersion } = metadata
    const said = { metadata: { resourceVersion, annotations: { [COMMAND]: 'pause' } } }
    const answers = await Promise.allSettled(
      [1, 2].map(() => place().api.patch(place().path('experiments', name), said)),
    )
    expect(answers.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
    expect(answers.flatMap((each) => (each.status === 'rejected' ? [String(each.reason)] : [])).join()).to.contain(
      '409',
    )
  })

  it('N8: promote and another template of the source at one moment get one answer', async () => {
    const [name = ''] = PAIRS
    const step = (await place().experimentAt(name)).status?.strategy?.step
    for (const value of ['a', 'b', 'c']) {
      const env = place().kubectl(['set', 'env', 'deployment/cart', `TRY=${value}`])
      const dryRun = ['annotate', '--overwrite', `expd/${name}`, `${COMMAND}=promote`, '--dry-run=server']
      const [{ code, text }] = await Promise.all([place().kubectl(dryRun), env])
      expect(text.includes('promotes at step'), text).to.equal(code === 0)
      expect(/another revision|changed the source/.test(text), text).to.equal(code !== 0)
    }
    await shows(name, step ?? '')
  })
})
