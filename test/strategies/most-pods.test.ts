import { expect } from 'chai'
import { EXPERIMENT_DEPLOYMENT, ROLE } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { eventually } from '../../sandbox/eventually.ts'
import { crds, EVERYTHING } from '../../sandbox/installation.ts'
import { DECIDED, QUICK, runsPlugin } from '../analyses/analyses.ts'
import { usesOwnControlPlane } from '../clusters/own-plane.ts'
import { canariesIn } from '../integration/canaries.ts'
import { DEADLINE_MS, type Place, placeAt } from '../integration/product.ts'
import { blueGreensIn } from './blue-greens.ts'
import { podsIn, STUCK, usesCountedPods } from './counted-pods.ts'
import { ALL_KINDS, gatedForksIn, isTrue, KINDS, type Kind, usesAllKinds } from './gated-forks.ts'

const PREFIX = 'sandbox.experiment-controller.example.com'
const FIRST = { [`${PREFIX}/ends`]: 'never' }
const SECOND = { [`${PREFIX}/ends`]: null, round: '2' }
const SIZE = 4
/** Of four pods, or of two, 25% are one. A StatefulSet has none, because it waits for the end of a former pod. */
const SURGE: Readonly<Record<Kind, number>> = { Deployment: 1, StatefulSet: 0, Rollout: 1 }
/** Of a rollout that takes down no pod, the surge is there until its pods are ready. */
const TAKES_DOWN_NONE: Readonly<Record<Kind, JsonObject>> = {
  Deployment: { strategy: { rollingUpdate: { maxUnavailable: 0 } } },
  StatefulSet: {},
  Rollout: { strategy: { canary: { maxUnavailable: 0 } } },
}

/** Three kinds at once. */
const TIMEOUT_MS = 240_000

interface Case {
  readonly spec: JsonObject
  /** of the fork */
  readonly pods: number
  /** of the twin */
  readonly twin?: number
  /** where the run waits */
  readonly step?: string
  /** whether only open pods of the fork have a surge */
  readonly isGated?: true
}

const BLUE_GREEN = { activeService: 'cart', autoPromotionEnabled: false, scaleDownDelaySeconds: 3_600 }
const CASES: Readonly<Record<string, Case>> = {
  'a plain experiment': { spec: { replicas: 2 }, pods: 2 },
  'a canary': {
    spec: { strategy: { canary: { steps: [{ setWeight: 50 }, { pause: {} }] } } },
    ...{ pods: SIZE, step: '1/5 Paused' },
  },
  'a blue-green': {
    spec: { strategy: { blueGreen: BLUE_GREEN } },
    ...{ pods: SIZE, step: '1/9 Paused', isGated: true },
  },
  'a twin': {
    spec: { replicas: 2, analysis: { ...QUICK, metrics: [DECIDED], control: 'Twin', maxSeconds: 3_600 } },
    ...{ pods: 2, twin: 2 },
  },
}

describe('the most pods at one moment, on the real control plane', function () {
  this.timeout(TIMEOUT_MS)
  const plane = usesOwnControlPlane(crds)
  usesAllKinds(EVERYTHING, plane)
  runsPlugin(plane)
  const counted = usesCountedPods(plane)

  /** Creates the experiment `cart` on a source of this name. Returns what its plan tells of pods. */
  async function isCreated(kind: Kind, place: Place, { spec }: Case) {
    const template = {
      metadata: { labels: { app: 'cart' }, annotations: SURGE[kind] > 0 ? FIRST : {} },
      // a quota counts a pod that is ending for twice this time
      spec: { terminationGracePeriodSeconds: 600, containers: [{ name: 'cart', image: 'registry.example/cart:1' }] },
    }
    await gatedForksIn(() => place).aSource(kind, 'cart', SIZE, { template, ...TAKES_DOWN_NONE[kind] })
    const { apiVersion, kind: ofExperiment } = EXPERIMENT_DEPLOYMENT
    const manifest = {
      ...{ apiVersion, kind: ofExperiment, metadata: { name: 'cart' } },
      spec: { sourceRef: { kind, name: 'cart' }, overrideSpec: { minReadySeconds: 1 }, ...spec },
    }
    const { text } = await place.kubectl(['create', '-f', '-'], JSON.stringify(manifest))
    const [, pods, quota] = /at most (\d+) pods at one moment: .*; a quota counts up to (\d+)/.exec(text) ?? []
    return { pods: Number(pods), counted: Number(quota), text }
  }

  async function measure(kind: Kind, namespace: string, of: Case): Promise<void> {
    // a quota counts all pods of a namespace
    await plane().api.create('/api/v1/namespaces', { metadata: { name: namespace } })
    const place = placeAt(plane().api, plane().kubectl, namespace)
    const { comeTo, used, refused, end, list } = podsIn(place)
    const [{ pods, twin = 0, step, isGated }, surge] = [of, SURGE[kind]]
    const all = SIZE + pods + twin
    const { text, ...told } = await isCreated(kind, place, of)
    const late = all + 1 + (isGated ? pods : 1) + twin
    expect(told, text).to.deep.equal({ pods: all + 2 * surge, counted: surge > 0 ? 2 * all : late })
    const settles = async (most: number) => {
      await place.reaches('cart', 'Available')
      if (step !== undefined) await canariesIn(() => place).shows('cart', step)
      await comeTo(`${most} pods`, { present: all, ready: all, counted: most })
    }
    await settles(all)
    const hard = { pods: `${told.counted}` }
    await place.api.create(place.path('quotas'), { metadata: { name: 'told' }, spec: { hard } })
    await used(all)

    // each is rolled out once, and those of its former pods that need not end before stay
    const most = surge > 0 ? told.counted : all
    const updates = (object: 'source' | 'experiment', annotations: JsonObject) => {
      const template = { metadata: { annotations } }
      return object === 'source'
        ? place.api.patch(place.path(KINDS[kind], 'cart'), { spec: { template } })
        : place.api.patch(place.path('experiments', 'cart'), { spec: { overrideSpec: { template } } })
    }
    await updates('source', SECOND)
    await eventually(`the second round in ${namespace}`, DEADLINE_MS, async () => {
      const rounds = (await list()).filter(({ metadata }) => metadata.annotations?.round === '2')
      expect(rounds).to.have.length(all)
    })
    await settles(most)
    if (surge > 0) {
      await used(most)
      expect(await refused()).to.deep.equal([])
      await end()
      await used(all)

      // each stops in its rollout, with as many pods as it may have
      if (isGated) await cutsOver(place)
      if (twin > 0) await keepsTwin(place)
      await updates('source', STUCK)
      if (isGated) {
        await comeTo('the surge of the source', { present: all + surge, stuck: surge })
        await hasServiceBackLater(kind, place)
      }
      await updates('experiment', STUCK)
      await comeTo('both surges', { present: told.pods, stuck: 2 * surge })
    }
    expect(await counted().most(namespace)).to.equal(most)
  }

  async function cutsOver(place: Place): Promise<void> {
    const { says, shows } = canariesIn(() => place)
    await says('cart', 'resume')
    await shows('cart', '4/9 Paused')
  }

  /** Aborts a blue-green while its source lacks a pod, so that the open pods of the fork stay open. */
  async function hasServiceBackLater(kind: Kind, place: Place): Promise<void> {
    const pods = await place.api.list<KubeObject>(place.path('pods'))
    const lost = pods.find((pod) => isTrue(pod, 'Ready') && pod.metadata.labels?.[ROLE] === undefined)
    const conditions = ['ContainersReady', 'Ready'].map((type) => ({ type, status: 'False' }))
    await place.api.patch(`${place.path('pods', lost?.metadata.name)}/status`, { status: { conditions } }, 'strategic')
    await eventually('the source to lack a pod', DEADLINE_MS, async () => {
      const source = await place.api.get(place.path(KINDS[kind], 'cart'))
      expect(at(source.status, 'availableReplicas')).to.equal(SIZE - 1)
    })
    await canariesIn(() => place).says('cart', 'abort')
    await blueGreensIn(() => place).comesBack('cart')
  }

  /** Lets nobody delete pods of the twin, which leaves when another question is asked. */
  async function keepsTwin({ api, namespace, path }: Place): Promise<void> {
    const registration = '/apis/admissionregistration.k8s.io/v1'
    const name = `keeps-pods-in-${namespace}`
    await api.create(`${registration}/validatingadmissionpolicies`, {
      metadata: { name },
      spec: {
        matchConstraints: {
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          objectSelector: { matchLabels: { [ROLE]: 'control' } },
          resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['DELETE'] }],
        },
        validations: [{ expression: 'false', message: 'it is kept' }],
      },
    })
    const spec = { policyName: name, validationActions: ['Deny'] }
    await api.create(`${registration}/validatingadmissionpolicybindings`, { metadata: { name }, spec })
    const [pod] = await api.list<KubeObject>(`${path('pods')}?labelSelector=${ROLE}=control`)
    await eventually(`the twin in ${namespace} to be kept`, DEADLINE_MS, async () => {
      const answer = api.delete(`${path('pods', pod?.metadata.name)}?dryRun=All`)
      expect(await answer.then(() => 'deleted', String)).to.contain('it is kept')
    })
  }

  for (const [title, of] of Object.entries(CASES))
    it(`N17: of ${title} are what the plan told, as a quota counts them`, () =>
      Promise.all(ALL_KINDS.map((kind) => measure(kind, `${title.split(' ').at(-1)}-${kind.toLowerCase()}`, of))).then(
        () => undefined,
      ))
})
