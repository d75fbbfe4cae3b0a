import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { KubeRequest } from '../../../common/kube/client/request.ts'
import { scaleTo } from '../../../common/run/leaving.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { Writer } from '../../../controller/apply/writer.ts'
import { WrittenVersions } from '../../../controller/memory/written-versions.ts'
import { aDeployment, anExperiment } from '../../builders.ts'
import { theFork } from '../../common/plan/some-facts.ts'

const KEY = 'shop/faster-cart'
const OBSERVED = anExperiment({ metadata: { resourceVersion: '7' } })

/** A writer whose API server gives these answers one after the other; undefined: not found. */
function writing(...answers: readonly (KubeObject | undefined)[]) {
  const diary: string[] = []
  const caughtUp = async (version: string) => void diary.push(`awaits ${version}`)
  const cache = { caughtUp, caughtUpDeletion: async () => undefined }
  const written = new WrittenVersions({ experiments: cache, forks: () => cache })
  const left = [...answers]
  const client = {
    request: async ({ verb, path }: KubeRequest) => {
      diary.push(`${verb} ${path.split('/').slice(-2).join('/')}`)
      const answer = left.shift()
      if (answer === undefined) throw new KubeError({ kind: 'notFound', message: 'gone', status: 404 })
      return answer
    },
  }
  const doubt = ({ metadata }: Pick<KubeObject, 'metadata'>) =>
    void diary.push(`doubts ${metadata.name} at ${metadata.resourceVersion}`)
  const { signal } = new AbortController()
  return { writer: new Writer({ client, signal, written: written.of(KEY), doubt }), written, diary }
}

const stored = (resourceVersion: string, uid = OBSERVED.metadata.uid): KubeObject => ({
  ...aDeployment(),
  metadata: { ...OBSERVED.metadata, resourceVersion, uid },
})
const READ = 'get experimentdeployments/faster-cart'

describe('a writer: an experiment is current', () => {
  it('if it has not changed since it was observed', async () => {
    const { writer, diary } = writing(stored('7'))
    expect(await writer.isCurrent(OBSERVED)).to.equal(true)
    expect(diary).to.deep.equal([READ])
  })

  it('if only this pass has changed it', async () => {
    const { writer } = writing({ ...stored('8'), status: { observedGeneration: 1 } }, stored('8'))
    await writer.applyStatus(OBSERVED, { observedGeneration: 1 })
    expect(await writer.isCurrent(OBSERVED)).to.equal(true)
  })

  for (const [sentence, answer] of [
    ['it has changed', stored('8')],
    ['it is gone', undefined],
    ['another one has its name', stored('7', 'another')],
  ] as const)
    it(`no more if ${sentence}, and then the next pass does not trust the cache`, async () => {
      const { writer, diary } = writing(answer)
      expect(await writer.isCurrent(OBSERVED)).to.equal(false)
      expect(diary).to.deep.equal([READ, 'doubts faster-cart at 7'])
    })
})

describe('a writer: what it has written is awaited', () => {
  it('by the next pass of its experiment, also if somebody has removed the labels of the fork', async () => {
    const fork = theFork()
    const { writer, written, diary } = writing({ ...fork, metadata: { ...fork.metadata, resourceVersion: '13' } })
    const of = { ...fork, metadata: { ...fork.metadata, labels: {} } }
    await writer.write(scaleTo(deployment, of, 0, { isRepair: false }))
    await written.caughtUp(KEY)
    expect(diary.at(-1)).to.equal('awaits 13')
  })
})
