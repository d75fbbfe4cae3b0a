import { expect } from 'chai'
import { EXPERIMENT_ID } from '../../../common/api/names.ts'
import { trafficInput } from '../../../common/surroundings/pod-labels.ts'
import { concernedServices, endpointsOfOthers, serviceShares } from '../../../common/surroundings/shares.ts'
import { notSwitchable } from '../../../common/surroundings/switchable.ts'
import { type ServiceView, serviceView } from '../../../common/surroundings/traffic.ts'
import { aDeployment, aFork } from '../../builders.ts'
import { CART, collisionLines, others, ours, pairOf, slice } from './rows.ts'

const labels = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`label-${at}`, 'v']))

/** The view of a Service with this selector. */
function viewOf(selector: Readonly<Record<string, string>>, name = 'big'): ServiceView {
  const view = serviceView({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { selector } })
  if (!view) throw new Error('the Service has no view')
  return view
}

/** What is known of a source and its fork, whose pods have `podLabels`. */
function inputOf(podLabels: Readonly<Record<string, string>>) {
  const source = aDeployment({ podLabels })
  return trafficInput(pairOf({ source, fork: aFork(source) }))
}

const LARGEST = viewOf({ app: 'cart', ...labels(95_000) })
/** The pods have all that is kept of its selector. */
const UNKNOWN = viewOf({ app: 'cart', ...labels(70), more: 'v' })
const BEYOND = 'spec.selector has 72 entries, more than 64'
const INPUT = inputOf(labels(70))

describe('a Service whose selector is beyond the bounds', () => {
  it('N29: is kept with so many entries, and with the label of an experiment', () => {
    const taken = viewOf({ ...labels(95_000), [EXPERIMENT_ID]: 'cd1aa1c99c' })
    expect(Object.keys(LARGEST.selector)).to.have.length(64)
    expect(Object.keys(taken.selector)).to.have.length(65)
    expect(taken.selector[EXPERIMENT_ID]).to.equal('cd1aa1c99c')
  })

  it('N29: selects no pod that lacks one of these entries, which is no unknown', () => {
    const views = { services: [LARGEST, CART], slices: [slice('cart', ...others)] }
    expect(concernedServices(views, inputOf({}))).to.deep.equal(['cart'])
    expect(serviceShares(views, inputOf({})).map(({ name }) => name)).to.deep.equal(['cart'])
  })

  it('N29: is told with its name after the others, whose shares stay known', () => {
    const views = { services: [UNKNOWN, { ...CART, name: 'zoo' }], slices: [slice('zoo', ...others, ours)] }
    const [zoo, big, ...more] = serviceShares(views, INPUT)
    expect(more).to.deep.equal([])
    expect(zoo).to.include({ name: 'zoo', selected: true, share: '8%' })
    expect(big).to.deep.equal({
      name: 'big',
      selected: false,
      reason: 'NotCompared',
      message: `${BEYOND}, so it is not known whether it selects the fork`,
      experimentEndpoints: 0,
      readyEndpoints: 0,
    })
    expect(concernedServices(views, INPUT)).to.have.members(['big', 'zoo'])
  })

  it('N29: has the share that its endpoints show, also for policies', () => {
    const views = { services: [UNKNOWN], slices: [slice('big', ...others, ours)] }
    expect(serviceShares(views, INPUT)[0]).to.include({ selected: true, share: '8%', message: BEYOND })
    expect(endpointsOfOthers(views, INPUT)).to.deep.equal([{ service: 'big', ready: 11 }])
  })

  it('N29: is no Service that the fork joins or leaves', () =>
    expect(collisionLines({ labels: { app: 'other' }, services: [UNKNOWN, LARGEST] })).to.deep.equal([]))

  it('N29: cannot be limited to a fork', () =>
    expect(notSwitchable('big', UNKNOWN, { ...INPUT, isActive: true })?.message).to.equal(
      `service/big is not compared with the pods: ${BEYOND}; name another Service`,
    ))
})

describe('neighbours beyond the bounds', () => {
  it('N29: are told with their names, and the others are compared', () => {
    const unread = ['pdb/big', 'networkpolicy/deny'].map((name) => ({ name, unread: 'it is too large' }))
    const budgets = [{ name: 'cart', selector: { matchLabels: { app: 'cart' } } }]
    expect(collisionLines({ neighbours: { budgets, unread } })).to.deep.equal([
      "[CountedByPDB] the fork's pods count for pdb/cart and change how many evictions are allowed",
      '[NotCompared] not compared with the pods: networkpolicy/deny (it is too large), pdb/big (it is too large)',
    ])
  })

  it('N29: of autoscalers only that of the source or the fork is told', () => {
    const of = { min: 1, max: 2, isOnCpu: false, beyond: 'spec.metrics has 9000 entries, more than 64' }
    const autoscalers = ['cart', 'other'].map((name) => ({ ...of, name, target: { kind: 'Deployment', name } }))
    expect(collisionLines({ neighbours: { autoscalers } })).to.deep.equal([
      "[CountedByHPA] hpa/cart includes the fork's pods in its average when it scales the source",
      `[NotCompared] not compared with the pods: hpa/cart (${of.beyond})`,
    ])
  })
})
