import { expect } from 'chai'
import { DERIVED_HASH, EXPERIMENT_ID, IS_EXPERIMENT } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { objectOr } from '../../common/json/json.ts'
import { FORK } from '../builders.ts'
import { DEPLOYMENTS, PATHS, running } from '../fakes/controller.ts'
import type { ObjectStore } from '../fakes/object-store.ts'

const PATH = `${DEPLOYMENTS}/${FORK}`
type Metadata = KubeObject['metadata']

const withMetadata = (of: (metadata: Metadata) => Partial<Metadata>) => (server: ObjectStore) =>
  server.change(PATH, (fork) => ({ ...fork, metadata: { ...fork.metadata, ...of(fork.metadata) } }))
const withSpec = (spec: object) => (server: ObjectStore) =>
  server.change(PATH, (fork) => ({ ...fork, spec: { ...objectOr(fork.spec), ...spec } }))

/** What another client does to the fork whenever it is as the controller wants it. */
const FIGHTS: Readonly<Record<string, (server: ObjectStore) => void>> = {
  'a field': withSpec({ minReadySeconds: 7 }),
  'the number of pods': withSpec({ replicas: 5 }),
  'a label': withMetadata(({ labels }) => ({ labels: { ...labels, [IS_EXPERIMENT]: 'no' } })),
  'the label of its selector': withMetadata(({ labels }) => ({ labels: { ...labels, [EXPERIMENT_ID]: 'no' } })),
  'the hash of its derivation': withMetadata(({ annotations }) => ({
    annotations: { ...annotations, [DERIVED_HASH]: 'no' },
  })),
  'its owner': withMetadata(() => ({ ownerReferences: [] })),
  'its managed fields': withMetadata(() => ({ managedFields: [] })),
  'the whole fork': (server) => server.remove(PATH),
}

/** Makes the experiment one that keeps its fork, which then only may become smaller. */
const losesItsBase = (server: ObjectStore) =>
  server.change(PATHS.experiment, (experiment) => ({
    ...experiment,
    spec: { ...objectOr(experiment.spec), onSourceChange: 'Pin' },
    status: {
      ...objectOr(experiment.status),
      observedGeneration: 2,
      source: { uid: 'uid-of-cart', generation: 1, templateHash: 'lost', pinned: true },
    },
  }))

/** How often the fork is written in 40 s, while another client undoes each write at once. */
async function writesIn40s(fight: (server: ObjectStore) => void, first = (_: ObjectStore) => {}) {
  const { server, controller, settle, time } = running()
  const writes = () => server.diary.filter((line) => /^(apply|patch) /.test(line) && line.endsWith(PATH)).length
  await controller.start()
  controller.lead()
  await settle()
  first(server)
  await settle()
  const begun = writes()
  let undone: number | undefined
  for (let tick = 0; tick < 400; tick += 1) {
    if (writes() !== undone) {
      undone = writes()
      fight(server)
      await settle()
    }
    await time.pass(100)
    await settle()
  }
  await controller.stop()
  return writes() - begun
}

describe('a client that undoes what the controller does', () => {
  for (const [what, fight] of Object.entries(FIGHTS))
    it(`R3: about ${what} makes it repair 8 times in 40 s`, async () => {
      expect(await writesIn40s(fight)).to.be.within(7, 8)
    })

  it('R3: about the pods of a fork that only may become smaller makes it repair 8 times in 40 s', async () => {
    expect(await writesIn40s(withSpec({ replicas: 5 }), losesItsBase)).to.be.within(7, 8)
  })
})
