import { expect } from 'chai'
import type { KubeObject } from '../../common/api/object.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { argoManifests } from '../../sandbox/modules.ts'
import { usesArgoRollouts } from './argo.ts'
import { aNamespace, usesControlPlane } from './fixture.ts'

const aRollout = (name: string): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Rollout',
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name, image: `registry.example/${name}:1` }] },
    },
    strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } },
  },
})

describe('Argo Rollouts in the sandbox, on the real control plane', () => {
  const plane = usesControlPlane()
  const argo = usesArgoRollouts()
  let namespace = ''
  const rollouts = (): string => `/apis/argoproj.io/v1alpha1/namespaces/${namespace}/rollouts`

  before(async () => {
    namespace = await aNamespace()
  })

  async function becomesHealthy(name: string): Promise<void> {
    const { api } = plane()
    await api.create(rollouts(), aRollout(name))
    await eventually(`Rollout ${name} to be Healthy`, 50_000, async () => {
      const { status } = await api.get<KubeObject & { status?: { phase?: string } }>(`${rollouts()}/${name}`)
      expect(status?.phase, JSON.stringify(status)).to.equal('Healthy')
    })
  }

  it('makes a canary Healthy', () => becomesHealthy('cart'))

  it('loses every Rollout with the CRDs, and works again when the CRDs are back', async function () {
    this.timeout(300_000) // its watches are restarted slowly
    await argo().removeCrds()
    await argo().installCrds()
    // a kind that was just re-created answers 429 for a while
    await eventually('no Rollout to be left', 60_000, async () =>
      expect(await plane().api.list(rollouts())).to.deep.equal([]),
    )
    await argo().reconciles()
    await becomesHealthy('again')
  })

  it('has 82 files with Rollouts to try', async () => {
    const files = await argoManifests()
    expect(files).to.have.length(82)
    expect(files.filter(({ path }) => path.startsWith('examples/'))).to.have.length(22)
  })
})
