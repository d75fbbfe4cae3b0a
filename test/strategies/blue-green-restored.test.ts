import { expect } from 'chai'
import { COMMAND, COMMAND_BY, EXPERIMENT_ID } from '../../common/api/names.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, type Installation, install, WITH_CUT_OVER } from '../../sandbox/installation.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, type Place, placeAt } from '../integration/product.ts'
import { blueGreensIn, previewOf } from './blue-greens.ts'
import { gatedForksIn } from './gated-forks.ts'

const SIZE = 2
/** The last command before the backup. */
const COMMANDED = {
  [COMMAND]: 'resume step=1 revision=1f2e3d4c5b at=2026-01-01T00:00:00.000Z',
  [COMMAND_BY]: 'somebody',
}
/** Whether the API server still knows after the restore who has set the pin. Backups do not contain that. */
const NAMES = { known: 'known', unknown: 'unknown' } as const

describe('a blue-green that was restored from a backup while its fork served', function () {
  this.timeout(300_000)
  const plane = usesOwnControlPlane(crds)
  let product: Installation | undefined
  let found: Place | undefined
  const place = (): Place => {
    if (!found) throw new Error('the product runs while tests run')
    return found
  }
  const { shows } = canariesIn(place)
  const { aSource, aService, idOf, comesTo } = gatedForksIn(place)
  const { blueGreen, selectorOf, comesBack } = blueGreensIn(place)
  const forks = new Map<string, string>()
  const isThere = async (fork: string) =>
    (await place().api.list(place().path('deployments'))).some(({ metadata }) => metadata.name === fork)
  const experiment = (name: string, autoPromotionEnabled: boolean, annotations = {}) =>
    blueGreen(name, 'Deployment', { autoPromotionEnabled }, { annotations })

  before('two blue-greens serve, and the controller is away while they are restored', async () => {
    product = await install(plane(), { overlay: WITH_CUT_OVER })
    await plane().api.create('/api/v1/namespaces', { metadata: { name: 'shop' } })
    found = placeAt(plane().api, plane().kubectl, 'shop')
    for (const name of Object.values(NAMES)) {
      await aSource('Deployment', name, SIZE)
      await aService(previewOf(name), name)
      await experiment(name, true)
    }
    for (const name of Object.values(NAMES)) {
      await shows(name, '4/9 Paused')
      forks.set(name, `${name}-experiment-${await idOf(name)}`)
    }
    await product.controller().stop('SIGKILL')
    const { api, path } = place()
    for (const service of [NAMES.unknown, previewOf(NAMES.unknown)])
      await api.patch(path('services', service), { metadata: { managedFields: [{}] } })
    for (const name of Object.values(NAMES)) {
      await api.patch(path('experiments', name), { metadata: { finalizers: [] } })
      await api.delete(path('experiments', name))
      await eventually(`${name} to be gone`, DEADLINE_MS, async () => {
        const left = await api.list(path('experiments'))
        expect(left.map(({ metadata }) => metadata.name)).not.to.include(name)
      })
      await experiment(name, false, COMMANDED) // its uid is another one
    }
    await product.startController()
  })

  it('has no command, which was given to its former run', async () => {
    for (const name of Object.values(NAMES)) {
      const { annotations = {} } = (await place().experimentAt(name)).metadata
      expect(Object.keys(annotations)).not.to.include(COMMAND).and.not.to.include(COMMAND_BY)
    }
  })

  it('gives its Services back before the controller deletes its former fork', async () => {
    await comesBack(NAMES.known)
    await eventually('the former fork to be gone', 2 * DEADLINE_MS, async () =>
      expect(await isThere(forks.get(NAMES.known) ?? '')).to.equal(false),
    )
  })

  it('goes on with a new fork', () => shows(NAMES.known, '2/10 Paused'))

  it('keeps its former fork where nobody knows who has set the pin, until somebody takes that away', async () => {
    const fork = forks.get(NAMES.unknown) ?? ''
    await eventually('an Event that says so', DEADLINE_MS, async () => {
      const { text } = await place().kubectl(['get', 'events', '--field-selector=reason=Orphaned', '-o', 'json'])
      expect(text).to.contain(`service/${NAMES.unknown}, service/${previewOf(NAMES.unknown)} would send to nobody`)
    })
    await comesTo(NAMES.unknown, { others: SIZE }) // the pods of the former fork
    expect(await isThere(fork)).to.equal(true)
    for (const service of [NAMES.unknown, previewOf(NAMES.unknown)]) {
      expect(Object.keys(await selectorOf(service))).to.include(EXPERIMENT_ID)
      await place().api.patch(place().path('services', service), { spec: { selector: { [EXPERIMENT_ID]: null } } })
    }
    await eventually('the former fork to be gone', 2 * DEADLINE_MS, async () =>
      expect(await isThere(fork)).to.equal(false),
    )
  })
})
