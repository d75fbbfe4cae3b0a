import { expect } from 'chai'
import { ABSENT, known } from '../../../common/api/known.ts'
import { SCALED } from '../../../common/api/names.ts'
import type { KubeObject, ObjectMeta } from '../../../common/api/object.ts'
import type { CanaryStrategy } from '../../../common/api/strategy.ts'
import { sizeErrors, sizeWarnings } from '../../../common/assess/size-errors.ts'
import { boundsOf, insideAtPromotion, insideAtWeight } from '../../../common/scaling/sizes.ts'
import { strategyRunSpec } from '../../../common/strategy/run-spec.ts'
import { NO_NEIGHBOURS } from '../../../common/surroundings/neighbours.ts'
import { aDeployment, anExperiment, aStatefulSet, installing, UID } from '../../builders.ts'
import { type Given, someFacts, theFork } from '../plan/some-facts.ts'

type ExperimentOf = NonNullable<Parameters<typeof anExperiment>[0]>

interface Case extends Given {
  readonly canary?: CanaryStrategy
  readonly of?: ExperimentOf
}

const FIVE = { spec: { replicas: 5 } }
const sourceOf = (metadata: Partial<ObjectMeta>) => aDeployment({ ...FIVE, metadata })

function factsOf({ canary = {}, of = {}, ...given }: Case) {
  const strategy = { canary: { scaleDownSource: true, ...canary } }
  return someFacts({ source: aDeployment(FIVE), experiment: anExperiment({ strategy, ...of }), ...given })
}

const FORK = theFork()

/** The messages, all of the one field. */
function messages(of: Case, fork: KubeObject | undefined = FORK): readonly string[] {
  const errors = sizeErrors(factsOf(of), fork)
  for (const { field } of errors) expect(field).to.equal('spec.strategy.canary.scaleDownSource')
  return errors.map(({ message }) => message)
}

const HPA = { name: 'cart', target: { kind: 'Deployment', name: 'cart' }, min: 1, max: 3, isOnCpu: true }
const REPLICAS = { 'f:spec': { 'f:replicas': {} } }
const WITHOUT = 'leave it out, and use weights that maxSurge allows beside the source, or promote earlier'
const otherUid = '11111111-6b0e-4c1d-9a53-2f4f3d1b7a10'
const sizedBy = (uid: string) => sourceOf({ labels: { [SCALED]: `${uid}.5.4` } })

describe('why a source cannot get smaller', () => {
  const sound: Readonly<Record<string, Case>> = {
    'the example of Argo with this one line': {
      canary: { steps: [20, 40, 60, 80].flatMap((setWeight) => [{ setWeight }, { pause: { duration: '10s' } }]) },
    },
    'a source that does not exist yet': { source: undefined },
    'an autoscaler of another workload': {
      neighbours: { ...NO_NEIGHBOURS, autoscalers: [{ ...HPA, target: { kind: 'Deployment', name: 'other' } }] },
    },
    'one limit that only rounding makes 0': { canary: { maxSurge: 0, maxUnavailable: '10%' } },
    'its own label': { source: sizedBy(UID) },
    'an analysis beside the source itself': { of: { strategy: inside(), analysis: {} } },
    'a promotion by force, without a declarer': { of: { strategy: inside(), promotion: { force: true } } },
  }
  for (const [what, of] of Object.entries(sound)) it(`not ${what}`, () => expect(messages(of)).to.deep.equal([]))

  it('not anything of a strategy without it', () => {
    const worst = { installed: installing(), neighbours: undefined, source: sizedBy(otherUid) }
    expect(messages({ ...worst, canary: { scaleDownSource: false } })).to.deep.equal([])
    expect(messages({ ...worst, of: { strategy: { blueGreen: { activeService: 'cart' } } } })).to.deep.equal([])
  })

  const refused: Readonly<Record<string, readonly [Case, string]>> = {
    'a StatefulSet': [
      { of: { strategy: inside(), sourceRef: { kind: 'StatefulSet', name: 'db' } }, source: aStatefulSet() },
      `only a Deployment can get smaller, not a StatefulSet; ${WITHOUT}`,
    ],
    'the component that is missing': [
      { installed: installing('gate') },
      'this installation has no component "promotion", so it changes no sources; ask an administrator, or leave it out',
    ],
    'a gated fork': [
      { of: { strategy: inside(), traffic: { mode: 'Gated' } } },
      'the fork of traffic.mode Gated runs beside its whole source; leave out scaleDownSource or the mode',
    ],
    'a twin': [
      { of: { strategy: inside(), analysis: { control: 'Twin' } } },
      'the twin of analysis.control runs beside the whole source; leave out scaleDownSource or the control',
    ],
    'no pod to spare': [{ canary: { maxSurge: 0 } }, 'maxSurge and maxUnavailable are both 0; raise one of them'],
    'no percent to spare': [
      { canary: { maxSurge: '0%', maxUnavailable: '0%' } },
      'maxSurge and maxUnavailable are both 0; raise one of them',
    ],
    'one pod without a surge': [
      { canary: { maxSurge: 0, maxUnavailable: 1 }, source: aDeployment({ spec: { replicas: 1 } }) },
      '1 + 1 needs maxSurge 1; raise maxSurge',
    ],
    'an autoscaler': [
      { neighbours: { ...NO_NEIGHBOURS, autoscalers: [HPA] } },
      'hpa/cart scales deployment/cart; delete it for the time of the run, or leave this out',
    ],
    'autoscalers that are not known': [
      { neighbours: undefined },
      'whether an autoscaler scales deployment/cart is not known (the autoscalers cannot be read); try again, or leave this out',
    ],
    'who applies its size, whatever force says': [
      {
        of: { strategy: inside(), promotion: { force: true } },
        source: sourceOf({ managedFields: [{ manager: 'ci', operation: 'Apply', fieldsV1: REPLICAS }] }),
      },
      'a server-side apply of "ci" has spec.replicas of deployment/cart; hand the field over first, as the guide says. Never only delete the line: Kubernetes then sets 1',
    ],
    'a Service that leads to the source only': [
      { traffic: { services: [{ name: 'cart', selector: { app: 'cart', 'pod-template-hash': '1f' } }], slices: [] } },
      'the fork gets no requests from service/cart, and the source gets smaller; keep its labels and ports, or leave this out',
    ],
    'another experiment that has made it smaller': [
      { source: sizedBy(otherUid) },
      `the experiment with the uid ${otherUid} has made deployment/cart smaller; wait until it is over`,
    ],
  }
  for (const [what, [of, message]] of Object.entries(refused))
    it(`is ${what}`, () => expect(messages(of)).to.deep.equal([message]))

  it('is a Rollout that takes its template from it', () => {
    const facts = factsOf({})
    const surroundings = { ...facts.surroundings, referrer: known('rollout/cart') }
    expect(sizeErrors({ ...facts, surroundings }, FORK).map(({ message }) => message)).to.deep.equal([
      `rollout/cart takes its template from deployment/cart, and scales it; ${WITHOUT}`,
    ])
  })

  it('is told all at once', () =>
    expect(messages({ installed: installing(), neighbours: undefined, canary: { maxSurge: 0 } })).to.have.length(3))

  it('is not asked of the surroundings where no fork is wanted, for which they are not read', () => {
    const facts = factsOf({ neighbours: undefined })
    expect(sizeErrors(facts, undefined)).to.deep.equal([])
    expect(sizeErrors({ ...facts, source: ABSENT }, FORK)).to.deep.equal([])
  })

  it('leaves sizes within their bounds at every step of what is admitted', () => {
    const amounts = [0, 1, 3, '0%', '10%', '25%', '50%']
    for (const size of [0, 1, 2, 3, 5, 10, 50])
      for (const maxSurge of [...amounts, undefined])
        for (const maxUnavailable of amounts) {
          const source = aDeployment({ spec: { replicas: size } })
          const canary = { maxUnavailable, ...(maxSurge === undefined ? {} : { maxSurge }) }
          const of = { canary, source }
          const spec = strategyRunSpec(factsOf(of).experiment.spec)
          if (!spec || messages(of).length > 0) continue
          const bounds = boundsOf(size, spec)
          const said = `${size} pods, maxSurge ${spec.maxSurge}, maxUnavailable ${maxUnavailable}`
          for (const weight of [0, 1, 5, 20, 50, 80, 95, 99]) {
            const pair = insideAtWeight(weight, size, bounds)
            expect(pair.fork + pair.source, `${weight}% of ${said}`).to.be.within(bounds.least, bounds.most)
            if (size > 0 && weight > 0) expect(Math.min(pair.fork, pair.source), said).to.be.greaterThan(0)
          }
          for (const rollout of [
            { takesDown: false, surge: 1 },
            { takesDown: true, surge: 0 },
          ]) {
            const { fork, source: left } = insideAtPromotion(size, bounds, rollout)
            const available = fork + (rollout.takesDown ? 0 : left)
            expect(available, `promote of ${said}`).to.be.least(bounds.least)
            expect(fork + left + (left > 0 ? rollout.surge : 0), `promote of ${said}`).to.be.most(
              Math.max(bounds.most, left + rollout.surge),
            )
          }
        }
  })
})

describe('what sets the size of a source again in the middle of a run', () => {
  const applied = (spec: object) =>
    sourceOf({ annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec }) } })

  it('is told as a warning', () =>
    expect(sizeWarnings(factsOf({ source: applied({ replicas: 5 }) }))).to.deep.equal([
      { reason: 'SourceScaled', message: 'the next kubectl apply sets spec.replicas 5 again; the run then waits' },
    ]))

  it('is nothing without a size, without scaleDownSource, and without a source', () => {
    expect(sizeWarnings(factsOf({ source: applied({}) }))).to.deep.equal([])
    expect(sizeWarnings(factsOf({ source: applied({ replicas: 5 }), canary: { scaleDownSource: false } }))).to.be.empty
    expect(sizeWarnings(factsOf({ source: undefined }))).to.deep.equal([])
  })
})

function inside() {
  return { canary: { scaleDownSource: true } }
}
