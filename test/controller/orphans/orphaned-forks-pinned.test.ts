import { expect } from 'chai'
import { EXPERIMENT_ID, FIELD_MANAGER } from '../../../common/api/names.ts'
import { type KubeObject, UNREAD } from '../../../common/api/object.ts'
import { objectOr } from '../../../common/json/json.ts'
import { installing } from '../../builders.ts'
import { FORK, type Given, LOOKED, swept, world } from '../swept.ts'

describe('a fork without an experiment, to which a Service sends all requests', () => {
  const pinned = (selector: object, manager = FIELD_MANAGER): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: {
      name: 'cart',
      uid: 'service',
      resourceVersion: '7',
      managedFields: [
        {
          manager,
          operation: 'Update',
          fieldsV1: { 'f:spec': { 'f:selector': {} } },
        },
      ],
    },
    spec: { selector },
  })
  const ID = FORK.metadata.labels?.[EXPERIMENT_ID] ?? ''
  const SHARED = pinned({ app: 'cart' })
  const PINNED = pinned({ app: 'cart', [EXPERIMENT_ID]: ID })
  const DELETED = `delete fork ${FORK.metadata.name}`

  it('F41: stays until the Service is returned, and is deleted half a minute later', async () => {
    let service = PINNED
    const { orphans, diary, notes, timers } = world({
      services: () => [service],
      beforeWrite: () => {
        service = SHARED
      },
    })
    orphans.start()
    await timers.pass(29_000)
    expect(diary).to.include('patch service cart').and.not.to.include(DELETED)
    await timers.pass(1_000)
    expect(diary.filter((line) => /^(patch|delete)/.test(line))).to.deep.equal(['patch service cart', DELETED])
    expect(notes[0]).to.contain('so the source gets the requests to service/cart again')
    await orphans.stop()
  })

  const kept: Record<string, Given> = {
    'the controller may not change Services': { installed: installing(), services: () => [PINNED] },
    'somebody else has pinned the Service, such as a restored backup': {
      services: () => [pinned({ app: 'cart', [EXPERIMENT_ID]: ID }, 'velero-server')],
    },
  }
  for (const [sentence, given] of Object.entries(kept))
    it(`stays, counts, and tells how to free the Service where ${sentence}`, async () => {
      const { orphans, diary, notes } = world(given)
      await orphans.sweep()
      expect(diary).to.deep.equal([LOOKED, 'event Orphaned Deployment'])
      expect(orphans.count).to.equal(1)
      expect(notes).to.deep.equal([
        'its experiment is gone, but service/cart would send to nobody without this fork, so it stays; ' +
          `remove the key ${EXPERIMENT_ID} from the selector there, and the controller deletes the fork`,
      ])
    })

  it('N29: stays where a Service is too large to be read, and tells which', async () => {
    const unread = { ...SHARED, spec: {}, [UNREAD]: 'it is longer than 1.5 MiB' }
    const { orphans, diary, notes } = world({ services: () => [unread] })
    await orphans.sweep()
    expect(diary).to.deep.equal([LOOKED, 'event Orphaned Deployment'])
    expect(notes).to.deep.equal([
      'its experiment is gone, but service/cart may send only to this fork and is too large to be read, so the fork stays; make it smaller, and the controller deletes the fork',
    ])
  })

  it('names publishNotReadyAddresses where the Service has it', async () => {
    const preview = { ...PINNED, spec: { ...objectOr(PINNED.spec), publishNotReadyAddresses: true } }
    const { orphans, notes } = world({ installed: installing(), services: () => [preview] })
    await orphans.sweep()
    expect(notes[0]).to.match(/deletes the fork; remove publishNotReadyAddresses, too, unless you set it$/)
  })

  const unpinned: Record<string, KubeObject> = {
    'a Service sends to it and to others': SHARED,
    'a Service was made for this fork alone': pinned({ [EXPERIMENT_ID]: ID }, 'kubectl'),
    'a Service sends only to another fork': pinned({ app: 'cart', [EXPERIMENT_ID]: 'another' }),
  }
  for (const [sentence, service] of Object.entries(unpinned))
    it(`is deleted at once where ${sentence}`, async () =>
      expect((await swept({ services: () => [service] })).at(-1)).to.equal(DELETED))
})
