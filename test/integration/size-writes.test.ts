import { expect } from 'chai'
import { SCALE_MANAGER, SCALED, SCALED_BY } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at } from '../../common/json/json.ts'
import type { KubeClient } from '../../common/kube/client/client.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { kubeClient } from '../../common/kube/library/client.ts'
import { realTimers } from '../../common/program/clock.ts'
import { deployment } from '../../common/workload/deployment.ts'
import { replicasOf, statusCount } from '../../common/workload/status.ts'
import {
  releaseSourceSize,
  resizeSource,
  returnSource,
  type SourceSizeWrite,
  unlabelSource,
} from '../../common/writes/source-size-writes.ts'
import { outcomeOf, type Write } from '../../common/writes/write.ts'
import { Writer } from '../../controller/apply/writer.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { anExperiment, UID } from '../builders.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

const EXPERIMENT = anExperiment()
const LABELS = { app: 'cart' }
const SPEC = {
  selector: { matchLabels: LABELS },
  template: {
    metadata: { labels: LABELS },
    spec: { containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
  },
}
/** The manifest that its team applies. */
const manifest = (name: string, replicas: number) => ({
  ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name } },
  spec: { ...SPEC, replicas },
})

describe('writes of the size of a source, on the real API server', function () {
  this.timeout(120_000)
  const plane = usesControlPlane()
  let kube: KubeClient | undefined
  let namespace = ''
  before('there is a namespace', async () => {
    const { kubeconfig } = plane()
    kube = kubeClient({ kubeconfig, userAgent: 'test-sizes', timers: realTimers(), random: Math.random })
    namespace = await aNamespace()
  })
  after('the client is closed', () => kube?.close())

  const pathOf = (name: string) => resourcePath(deployment, { namespace, name })
  const read = (name: string) => plane().api.get(pathOf(name))
  async function aSource(name: string): Promise<KubeObject> {
    await plane().api.create(resourcePath(deployment, { namespace }), manifest(name, 5))
    return isSettled(name)
  }
  /** The controller of Deployments writes while pods start, and the first write of a size is for one version. */
  const isSettled = (name: string) =>
    eventually(`${name} to have its pods`, 60_000, async () => {
      const found = await read(name)
      expect(statusCount(found, 'availableReplicas')).to.equal(replicasOf(found))
      return found
    })
  const sized = (of: KubeObject) => ({ resource: deployment, of })
  const to = (written: number) => ({ experiment: UID, size: 5, written })

  /** Makes a write as a pass does. @throws KubeError */
  async function write(of: Write): Promise<KubeObject> {
    if (!kube) throw new Error('the client is there when tests run')
    const { signal } = new AbortController()
    const written = { note: () => undefined }
    const stored = await new Writer({ client: kube, signal, written, doubt: () => undefined }).write(of)
    if (!stored) throw new Error('nothing was stored')
    return stored
  }
  async function refusalOf(of: SourceSizeWrite) {
    const error = await write(of).catch((thrown: unknown) => thrown)
    if (!(error instanceof KubeError)) throw new Error('the write was not refused', { cause: error })
    return [error.kind, outcomeOf(of, error)]
  }
  /** Makes a write that is for one version of a source, again and again, as passes do. */
  const again = (name: string, of: (source: KubeObject) => Write) =>
    eventually(`a write of ${name}`, 60_000, async () => write(of(await isSettled(name))))
  const shrinking = (replicas: number) => (source: KubeObject) => resizeSource(sized(source), to(replicas), EXPERIMENT)
  const hasEntry = (of: KubeObject) => of.metadata.managedFields?.some(({ manager }) => manager === SCALE_MANAGER)
  /** Applies the manifest of the team with another number, and says who is in the way. */
  async function applies(name: string, replicas: number): Promise<string> {
    const args = ['-n', namespace, 'apply', '--server-side', '--field-manager=team', '-f', '-']
    const { stdout, stderr } = await plane().kubectl(args, { input: JSON.stringify(manifest(name, replicas)) })
    return /conflict with "([^"]+)"/.exec(stderr)?.[1] ?? stdout.trim()
  }

  it('N52: set number, label and annotation, which a busy status does not prevent', async () => {
    await aSource('busy')
    const first = await again('busy', shrinking(4))
    expect([replicasOf(first), first.metadata.labels?.[SCALED]]).to.deep.equal([4, `${UID}.5.4`])
    expect(first.metadata.annotations?.[SCALED_BY]).to.equal('shop/faster-cart')
    await plane().api.patch(`${pathOf('busy')}/status`, {
      status: { availableReplicas: 3 },
    })
    const second = await write(resizeSource(sized(first), to(2), EXPERIMENT))
    expect([replicasOf(second), second.metadata.labels?.[SCALED]]).to.deep.equal([2, `${UID}.5.2`])
  })

  const others: Record<string, (of: KubeObject) => Promise<unknown>> = {
    'has another number': ({ metadata: { name } }) => plane().api.patch(pathOf(name), { spec: { replicas: 3 } }),
    'has another label': ({ metadata: { name } }) =>
      plane().api.patch(pathOf(name), { metadata: { labels: { [SCALED]: 'another.5.4' } } }),
    'has lost the label': ({ metadata: { name } }) =>
      plane().api.patch(pathOf(name), { metadata: { labels: { [SCALED]: null } } }),
    'has lost all labels': ({ metadata: { name } }) => plane().api.patch(pathOf(name), { metadata: { labels: null } }),
    'is another one': async ({ metadata: { name } }) => {
      await plane().api.delete(`${pathOf(name)}?propagationPolicy=Background`)
      await aSource(name)
    },
  }
  for (const [index, [sentence, change]] of Object.entries(others).entries())
    it(`N52: are looked at again where the source ${sentence} since it was read`, async () => {
      await aSource(`other-${index}`)
      const small = await again(`other-${index}`, shrinking(4))
      await change(small)
      for (const each of [
        resizeSource(sized(small), to(2), EXPERIMENT),
        returnSource(sized(small), to(5)),
        unlabelSource(sized(small), 5),
      ])
        expect(await refusalOf(each)).to.deep.equal(['conflict', 'lookAgain'])
    })

  it('N52: are looked at again where anything of a source without the label has changed since it was read', async () => {
    const before = await aSource('first')
    await plane().api.patch(pathOf('first'), { metadata: { annotations: { note: 'new' } } })
    expect(await refusalOf(resizeSource(sized(before), to(4), EXPERIMENT))).to.deep.equal(['conflict', 'lookAgain'])
  })

  it('N52: are looked at again where the source is gone', async () => {
    const before = await aSource('gone')
    await plane().api.delete(pathOf('gone'))
    expect((await refusalOf(resizeSource(sized(before), to(4), EXPERIMENT)))[1]).to.equal('lookAgain')
  })

  const ends: Record<string, (name: string) => Promise<KubeObject>> = {
    'the label goes first': async (name) => {
      const unlabelled = await again(name, (source) => unlabelSource(sized(source), undefined))
      expect(hasEntry(unlabelled)).to.equal(true)
      return again(name, releasing)
    },
    'the entry goes first, so that a crash leaves the label': async (name) => {
      const released = await again(name, releasing)
      expect([hasEntry(released), released.metadata.labels?.[SCALED]]).to.deep.equal([false, `${UID}.5.5`])
      return again(name, (source) => unlabelSource(sized(source), undefined))
    },
  }
  function releasing(of: KubeObject): SourceSizeWrite {
    const release = releaseSourceSize(sized(of))
    if (!release) throw new Error('there is no entry of ours')
    return release
  }
  for (const [index, [sentence, end]] of Object.entries(ends).entries())
    it(`N52: leave nothing, so that the team can apply another number: ${sentence}`, async () => {
      const name = `end-${index}`
      const applied = await aSource(name).then(() => applies(name, 5))
      expect(applied).to.contain('serverside-applied')
      const small = await again(name, shrinking(1))
      expect(await applies(name, 6)).to.equal(SCALE_MANAGER)
      const grown = await write(returnSource(sized(small), to(5)))
      expect([replicasOf(grown), grown.metadata.labels?.[SCALED]]).to.deep.equal([5, `${UID}.5.5`])
      const left = await end(name)
      expect([hasEntry(left), left.metadata.labels?.[SCALED], left.metadata.annotations?.[SCALED_BY]]).to.deep.equal([
        ...[false, undefined, undefined],
      ])
      expect(at(left.metadata, 'managedFields')).to.not.deep.equal([])
      expect(await applies(name, 6)).to.contain('serverside-applied')
      expect(replicasOf(await read(name))).to.equal(6)
    })

  it('N52: are looked at again if somebody wrote in between, before the entry is removed', async () => {
    await aSource('between')
    const small = await again('between', shrinking(4))
    await plane().api.patch(pathOf('between'), { metadata: { annotations: { note: 'new' } } })
    const release = releaseSourceSize(sized(small))
    expect(release && (await refusalOf(release))).to.deep.equal(['conflict', 'lookAgain'])
  })
})
