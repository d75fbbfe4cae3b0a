import { expect } from 'chai'
import fc from 'fast-check'
import { SCALED } from '../../../common/api/names.ts'
import type { CanaryStrategy, Strategy, StrategyRunStatus } from '../../../common/api/strategy.ts'
import { roundsOf } from '../../../common/describe/describe-size.ts'
import { nextMove, type Side } from '../../../common/scaling/move.ts'
import { boundsOf, insideAtWeight, type SizeBounds, type SizePair } from '../../../common/scaling/sizes.ts'
import { runHash, shortRun } from '../../../common/situation/run-hash.ts'
import { serviceView, sliceView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, anExperiment, UID } from '../../builders.ts'
import { aService } from '../plan/simulated-services.ts'
import { type Given, someFacts, theFork } from '../plan/some-facts.ts'
import { allLines } from './described.ts'

const ARGO: CanaryStrategy = { steps: [20, 40, 60, 80].flatMap((setWeight) => [{ setWeight }, { pause: {} }]) }

/** The plan of a canary inside a source of five pods. */
const linesOf = (canary: CanaryStrategy, given: Given = {}) =>
  allLines(
    someFacts({
      source: aDeployment({ spec: { replicas: 5 } }),
      experiment: anExperiment({ strategy: { canary: { scaleDownSource: true, ...canary } } }),
      ...given,
    }),
  ).map((line) => line.replace('[Plan] ', ''))

const about = (pattern: RegExp, lines: readonly string[]) => lines.filter((line) => pattern.test(line))
const SIZES = /^(an abort|promote:)/

describe('the description of a source that gets smaller', () => {
  it('tells what an abort needs, and whom requests reach before the write', () =>
    expect(about(SIZES, linesOf(ARGO))).to.deep.equal([
      'an abort needs 4 new pods of the source, in 2 rounds',
      'promote: 80% and more go to the new version before the write',
      'promote: writes deployment/cart; at least 5 pods serving at any time',
    ]))

  it('tells how few pods the limits allow', () =>
    expect(about(SIZES, linesOf({ ...ARGO, maxSurge: 0, maxUnavailable: 2 }))).to.deep.equal([
      'an abort needs 4 new pods of the source, in 2 rounds',
      'promote: 75% and more go to the new version before the write',
      'promote: writes deployment/cart; at least 3 pods serving at any time',
    ]))

  it('tells of one pod that both are there, and no share that there is not', () =>
    expect(about(SIZES, linesOf(ARGO, { source: aDeployment({ spec: { replicas: 1 } }) }))).to.deep.equal([
      'promote: writes deployment/cart; at least 1 pod serving at any time',
    ]))

  it('tells nothing of a source that keeps its size, and of one without pods', () => {
    const beside = linesOf({ scaleDownSource: false, steps: [{ setWeight: 20 }] })
    expect(about(SIZES, beside)).to.deep.equal(['promote: writes deployment/cart; at least 5 pods serving at any time'])
    expect(about(/^an abort/, linesOf(ARGO, { source: aDeployment({ spec: { replicas: 0 } }) }))).to.deep.equal([])
  })

  describe('tells the share of a Service with the pods that the source keeps', () => {
    const slice = (pods: number) =>
      sliceView({
        ...{ apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice', addressType: 'IPv4' },
        metadata: { name: 'cart-x', namespace: 'shop', labels: { 'kubernetes.io/service-name': 'cart' } },
        ports: [{ name: '', port: 80, protocol: 'TCP' }],
        endpoints: Array.from({ length: pods }, (_, index) => ({
          addresses: [`10.0.0.${index}`],
          conditions: { ready: true },
          targetRef: { kind: 'Pod', name: `cart-${index}` },
        })),
      })
    const shareOf = (pods: number, replicas: number, labels: Record<string, string> = {}) => {
      const services = [serviceView(aService('cart'))].flatMap((view) => view ?? [])
      const traffic = { services, slices: [slice(pods)].flatMap((view) => view ?? []) }
      const source = aDeployment({ spec: { replicas }, metadata: { labels } })
      return about(/^service/, linesOf({ steps: [{ setWeight: 40 }] }, { source, traffic }))
    }

    it('before it is smaller', () =>
      expect(shareOf(5, 5)).to.deep.equal(['service/cart: about 40% of new connections (2 of 5 endpoints)']))

    it('where it is smaller already', () =>
      expect(shareOf(1, 1, { [SCALED]: `${UID}.5.1` })).to.deep.equal([
        'service/cart: about 40% of new connections (2 of 5 endpoints)',
      ]))
  })

  describe('tells that the source gets its pods first', () => {
    const canary = { scaleDownSource: true, ...ARGO }
    const of = anExperiment({ strategy: { canary } })
    const small = (size: number, uid = UID) =>
      aDeployment({ spec: { replicas: size }, metadata: { labels: { [SCALED]: `${uid}.5.${size}` } } })
    const at = (run: Partial<StrategyRunStatus>, wholeRun = runHash(of)) =>
      ({
        run: shortRun(wholeRun),
        wholeRun,
        revision: 'a',
        path: 'Forward',
        phase: 'Paused',
        stepIndex: 7,
        ...run,
      }) as const
    const since = { stepName: 'pause', since: '2026-11-21T10:00:00.000Z', step: '7/12 Paused' }
    const first = (run: Partial<StrategyRunStatus>, { source = small(1), strategy = { canary } as Strategy } = {}) => {
      const experiment = anExperiment({ strategy, status: { strategy: { ...at(run), ...since } } })
      const fork = theFork({ experiment: of })
      return about(/gets \d+ new pod/, allLines(someFacts({ experiment, source, fork }))).map((line) =>
        line.replace('[Plan] ', ''),
      )
    }
    const LINE = 'first deployment/cart gets 4 new pods, in 2 rounds; until then the fork keeps serving as it is'

    it('on the way back', () => expect(first({ path: 'Abort', stepIndex: 0 })).to.deep.equal([LINE]))

    it('before another run', () => {
      expect(first({}, { strategy: { canary: { ...canary, steps: [{ setWeight: 40 }] } } })).to.deep.equal([LINE])
      expect(first({}, { strategy: { canary: { steps: [{ setWeight: 40 }] } } })).to.deep.equal([LINE])
    })

    it('not while the run goes on, nor of a source that has its size, or is small because of another experiment', () => {
      expect(first({})).to.deep.equal([])
      expect(first({ path: 'Abort', stepIndex: 0 }, { source: small(5) })).to.deep.equal([])
      expect(first({ path: 'Abort', stepIndex: 0 }, { source: small(1, 'another') })).to.deep.equal([])
    })
  })

  it('counts the rounds of an abort as the moves make them', () => {
    const settled = (pods: number): Side => ({ replicas: pods, counted: pods, ready: pods, available: pods })
    const moved = (from: SizePair, size: number, bounds: SizeBounds): number => {
      const sides = { fork: settled(from.fork), source: settled(from.source) }
      const move = nextMove({ goal: { fork: 0, source: size }, sides, bounds, isListed: true })
      if (move.is !== 'resize') return 0
      return Number(move.side === 'source') + moved({ ...from, [move.side]: move.to }, size, bounds)
    }
    const amount = fc.oneof(
      fc.nat(5),
      fc.nat(100).map((percent) => `${percent}%`),
    )
    const size = fc.integer({ min: 1, max: 60 })
    fc.assert(
      fc.property(size, fc.integer({ min: 1, max: 99 }), amount, amount, (pods, weight, maxSurge, maxUnavailable) => {
        const bounds = boundsOf(pods, { maxSurge, maxUnavailable })
        const from = insideAtWeight(weight, pods, bounds)
        expect(roundsOf(from, pods, bounds)).to.equal(moved(from, pods, bounds))
      }),
    )
  })
})
