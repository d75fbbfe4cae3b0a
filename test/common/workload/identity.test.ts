import { expect } from 'chai'
import fc from 'fast-check'
import {
  EXPERIMENT_ID,
  FIELD_MANAGER,
  IS_EXPERIMENT,
  OWNER_NAMESPACE,
  OWNER_UID,
  ROLE,
} from '../../../common/api/names.ts'
import type { ExperimentDeployment } from '../../../common/api/types.ts'
import { derive } from '../../../common/fork/derive.ts'
import { provenOwner } from '../../../common/workload/any-fork.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import {
  experimentId,
  forkName,
  forkSelector,
  isFork,
  isForkOf,
  ownerReference,
  ownershipMetadata,
  sourceId,
  twinName,
} from '../../../common/workload/identity.ts'
import { aBase, aDeployment, anExperiment, FORK, UID } from '../../builders.ts'

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

describe('the identity of a fork', () => {
  it('names the fork after its source and the uid of the experiment', () =>
    expect(forkName('cart', UID)).to.equal(FORK))

  it('gives a valid name of at most 52 characters for any source name', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,80}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,80}[a-z0-9])?)?$/),
        fc.uuid(),
        (name, uid) => {
          expect(forkName(name, uid)).to.match(DNS_SUBDOMAIN).and.to.have.length.of.at.most(52)
        },
      ),
    )
  })

  it('has one id for all experiments on a source, and another for another source', () => {
    const of = (sourceRef: object, name = 'faster-cart') =>
      sourceId(anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', ...sourceRef }, metadata: { name } }))
    expect(of({})).to.match(/^[0-9a-f]{10}$/)
    expect([of({}, 'other'), of({ namespace: 'shop' })]).to.deep.equal([of({}), of({})])
    const others = [of({ kind: 'StatefulSet' }), of({ name: 'till' }), of({ namespace: 'till' })]
    expect(new Set([of({}), ...others]).size).to.equal(4)
  })

  it('selects pods by the id of the experiment only', () => {
    const derived = derive({
      kind: deployment,
      experiment: anExperiment(),
      base: aBase(),
      schema: undefined,
      replicas: 1,
    })
    const selector = derived.is === 'fork' ? derived.fork.spec : undefined
    expect(selector).to.deep.include({ selector: { matchLabels: { [EXPERIMENT_ID]: 'cd1aa1c99c' } } })
  })

  const ours = {
    ownerReferences: [ownerReference(anExperiment())],
    labels: { [EXPERIMENT_ID]: 'cd1aa1c99c' },
    managedFields: [{ manager: FIELD_MANAGER, operation: 'Apply' }],
  }
  const spec = { selector: forkSelector(anExperiment()) }
  const other = { ...ownerReference(anExperiment()), uid: 'other' }
  const cases: Record<string, [Parameters<typeof aDeployment>[0], boolean]> = {
    'its name, its selector and its owner': [{ name: FORK, metadata: ours, spec }, true],
    'its name and its selector, under an owner that is not the controller': [
      { name: FORK, spec, metadata: { ...ours, ownerReferences: [{ ...other, controller: false }] } },
      true,
    ],
    'R2: its name and its selector, without the owner': [
      { name: FORK, spec, metadata: { ...ours, ownerReferences: [] } },
      true,
    ],
    'R2: its name and its selector, without the label': [{ name: FORK, spec, metadata: { ...ours, labels: {} } }, true],
    'R2: its name and its selector, without managed fields': [
      { name: FORK, spec, metadata: { ...ours, managedFields: [] } },
      true,
    ],
    'everything but the name': [{ metadata: ours, spec }, false],
    'everything but the selector': [
      { name: FORK, metadata: ours, spec: { selector: { matchLabels: { mine: 'yes' } } } },
      false,
    ],
    'a selector with more than the label': [
      { name: FORK, metadata: ours, spec: { selector: { ...spec.selector, matchExpressions: [] } } },
      false,
    ],
    'an owner with the same name and another uid': [
      { name: FORK, spec, metadata: { ...ours, ownerReferences: [other] } },
      false,
    ],
    'its name and its selector, which somebody else may have taken': [{ name: FORK, spec }, false],
    'one mark besides them, which anybody can write': [
      { name: FORK, spec, metadata: { ownerReferences: ours.ownerReferences ?? [] } },
      false,
    ],
    'its name only': [{ name: FORK }, false],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(`${expected ? 'recognizes' : 'does not recognize'} a fork by ${sentence}`, () => {
      expect(isForkOf(anExperiment(), aDeployment(given))).to.equal(expected)
    })

  const apart = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
  const marked = { ...ours, ownerReferences: [], labels: { ...ownershipMetadata(apart).labels } }
  const apartCases: Record<string, [Parameters<typeof aDeployment>[0], boolean]> = {
    'its name and its selector': [{ name: FORK, spec, metadata: marked }, true],
    'R2: its name, its selector, its label and the manager, with an owner that somebody changed': [
      { name: FORK, spec, metadata: { ...marked, labels: { ...marked.labels, [OWNER_UID]: 'other' } } },
      true,
    ],
    'R2: its name and its selector, without managed fields': [
      { name: FORK, spec, metadata: { ...marked, managedFields: [] } },
      true,
    ],
    'an owner reference, which garbage collection would not understand': [{ name: FORK, spec, metadata: ours }, false],
    'the labels on an object with another controller': [
      { name: FORK, spec, metadata: { ...marked, ownerReferences: [other] } },
      false,
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(apartCases))
    it(`${expected ? 'recognizes' : 'does not recognize'} a fork in another namespace by ${sentence}`, () => {
      expect(isForkOf(apart, aDeployment(given))).to.equal(expected)
    })

  it('R2: recognizes a fork without any mark by the uid in the last status', () => {
    const bare = aDeployment({ name: FORK, spec, metadata: { uid: 'uid-of-fork' } })
    const ref = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: FORK, generation: 1 }
    const of = (uid: string) => anExperiment({ status: { experimentResourceRef: { ...ref, uid } } })
    expect([of('uid-of-fork'), of('another')].map((experiment) => isForkOf(experiment, bare))).to.deep.equal([
      true,
      false,
    ])
  })

  it('marks a fork in another namespace by labels, since owner references cannot cross namespaces', () => {
    const derived = derive({ kind: deployment, experiment: apart, base: aBase(), schema: undefined, replicas: 1 })
    const metadata = derived.is === 'fork' ? derived.fork.metadata : undefined
    expect(metadata?.namespace).to.equal('store')
    expect(metadata?.ownerReferences).to.equal(undefined)
    expect(metadata?.labels).to.include({ [OWNER_NAMESPACE]: 'shop', [OWNER_UID]: UID })
  })

  it('recognizes any fork by its label or its owner', () => {
    expect(isFork(aDeployment())).to.equal(false)
    expect(isFork(aDeployment({ labels: { [IS_EXPERIMENT]: 'true' } }))).to.equal(true)
    expect(isFork(aDeployment({ metadata: { labels: {}, ownerReferences: ours.ownerReferences } }))).to.equal(true)
  })

  describe('a twin', () => {
    const twinOf = (experiment: ExperimentDeployment) => {
      const derived = derive({
        kind: deployment,
        experiment,
        base: aBase(),
        schema: undefined,
        replicas: 1,
        role: 'control',
      })
      if (derived.is !== 'fork') throw new Error('there is no twin')
      return derived.fork
    }

    it('has a name, an id and a role of its own, and the owner of the fork', () => {
      const twin = twinOf(anExperiment())
      expect(twin.metadata.name).to.equal(twinName(anExperiment()))
      expect(twin.metadata.name).to.not.equal(FORK)
      expect(twin.metadata.labels?.[ROLE]).to.equal('control')
      expect(twin.metadata.labels?.[EXPERIMENT_ID]).to.not.equal(experimentId(UID))
      expect(twin.metadata.ownerReferences).to.deep.equal(ours.ownerReferences)
    })

    it('is no fork, and a fork is no twin', () => {
      const experiment = anExperiment()
      const twin = twinOf(experiment)
      const applied = { ...twin, metadata: { ...twin.metadata, managedFields: ours.managedFields ?? [] } }
      expect([isForkOf(experiment, applied), isForkOf(experiment, applied, 'control')]).to.deep.equal([false, true])
      expect(isForkOf(experiment, aDeployment({ name: FORK, spec, metadata: ours }), 'control')).to.equal(false)
    })

    it('is recognized without any mark by the uid in the last status', () => {
      const twin = twinOf(anExperiment())
      const bare = { ...twin, metadata: { name: twin.metadata.name, namespace: 'shop', uid: 'uid-of-twin' } }
      const of = (uid: string) => {
        const told = { verdict: 'Wait', reason: 'Measuring', message: '', since: '', attempt: 1 } as const
        const status = { analysis: { ...told, twin: { name: twin.metadata.name, uid, generation: 1 } } }
        return isForkOf(anExperiment({ status }), bare, 'control')
      }
      expect([of('uid-of-twin'), of('another')]).to.deep.equal([true, false])
    })

    it('in another namespace proves whose it is, as a fork does', () => {
      const owner = { namespace: 'shop', name: apart.metadata.name, uid: UID }
      expect(provenOwner(twinOf(apart))).to.deep.equal(owner)
      const other = { ...twinOf(apart), metadata: { ...twinOf(apart).metadata, name: FORK } }
      expect(provenOwner(other)).to.equal(undefined)
    })
  })
})
