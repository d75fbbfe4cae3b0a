import { expect } from 'chai'
import fc from 'fast-check'
import { EXPERIMENT_ID, FIELD_MANAGER, IS_EXPERIMENT, OWNER_NAMESPACE, OWNER_UID } from '../../../common/api/names.ts'
import { deployment } from '../../../common/workload/deployment.ts'
import { derive } from '../../../common/workload/desired.ts'
import {
  belonging,
  forkName,
  forkSelector,
  isExperiment,
  isForkOf,
  ownerReference,
} from '../../../common/workload/identity.ts'
import { isDroppedKey } from '../../../common/workload/metadata.ts'
import { aBase, aDeployment, anExperiment, FORK, UID } from '../../builders.ts'

const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/

describe('the identity of a fork', () => {
  it('is a name of the source and the uid of the resource', () => expect(forkName('cart', UID)).to.equal(FORK))

  it("Any source name gives a valid name of at most 52 that begins its pods' names", () => {
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

  it("The fork's selector matches no pod of the source", () => {
    const derived = derive({ kind: deployment, experiment: anExperiment(), base: aBase(), schema: undefined })
    const selector = derived.is === 'fork' ? derived.fork.spec : undefined
    expect(selector).to.deep.include({ selector: { matchLabels: { [EXPERIMENT_ID]: 'cd1aa1c99c' } } })
  })

  const ours = {
    ownerReferences: [ownerReference(anExperiment())],
    labels: { [EXPERIMENT_ID]: 'cd1aa1c99c' },
    managedFields: [{ manager: FIELD_MANAGER, operation: 'Apply' }],
  }
  const spec = { selector: forkSelector(anExperiment()) }
  const cases: Record<string, [Parameters<typeof aDeployment>[0], boolean]> = {
    'owner, label, manager and selector': [{ metadata: ours, spec }, true],
    'all but the selector': [{ metadata: ours, spec: { selector: { matchLabels: { mine: 'yes' } } } }, false],
    'a selector of more than its label': [
      { metadata: ours, spec: { selector: { ...spec.selector, matchExpressions: [] } } },
      false,
    ],
    'Same owner name, other uid: not ours': [
      { spec, metadata: { ...ours, ownerReferences: [{ ...ownerReference(anExperiment()), uid: 'other' }] } },
      false,
    ],
    'an owner that is not the controller': [
      { spec, metadata: { ...ours, ownerReferences: [{ ...ownerReference(anExperiment()), controller: false }] } },
      false,
    ],
    'our uid without our label': [{ spec, metadata: { ...ours, labels: {} } }, false],
    'our uid written by another manager': [
      { spec, metadata: { ...ours, managedFields: [{ manager: 'kubectl', operation: 'Update' }] } },
      false,
    ],
    'nothing but the name': [{}, false],
  }
  for (const [sentence, [given, expected]] of Object.entries(cases))
    it(`is ${expected ? '' : 'not '}proven by ${sentence}`, () => {
      expect(isForkOf(anExperiment(), aDeployment(given))).to.equal(expected)
    })

  const apart = anExperiment({ sourceRef: { kind: 'Deployment', name: 'cart', namespace: 'store' } })
  const marked = { ...ours, ownerReferences: [], labels: { ...belonging(apart).labels } }
  const apartCases: Record<string, [Parameters<typeof aDeployment>[0], boolean]> = {
    'uid label, id label, manager and selector': [{ spec, metadata: marked }, true],
    'the uid of another resource': [
      { spec, metadata: { ...marked, labels: { ...marked.labels, [OWNER_UID]: 'other' } } },
      false,
    ],
    'no uid label': [{ spec, metadata: ours }, false],
    'the labels under another manager': [{ metadata: { ...marked, managedFields: [] } }, false],
    'the labels on what somebody else controls': [
      { spec, metadata: { ...marked, ownerReferences: [{ ...ownerReference(apart), uid: 'other' }] } },
      false,
    ],
  }
  for (const [sentence, [given, expected]] of Object.entries(apartCases))
    it(`in another namespace is ${expected ? '' : 'not '}proven by ${sentence}`, () => {
      expect(isForkOf(apart, aDeployment(given))).to.equal(expected)
    })

  it('is told in another namespace by labels alone, for no owner reference may cross over', () => {
    const derived = derive({ kind: deployment, experiment: apart, base: aBase(), schema: undefined })
    const metadata = derived.is === 'fork' ? derived.fork.metadata : undefined
    expect(metadata?.namespace).to.equal('store')
    expect(metadata?.ownerReferences).to.equal(undefined)
    expect(metadata?.labels).to.include({ [OWNER_NAMESPACE]: 'shop', [OWNER_UID]: UID })
  })

  it('marks experiments by label or by owner', () => {
    expect(isExperiment(aDeployment())).to.equal(false)
    expect(isExperiment(aDeployment({ labels: { [IS_EXPERIMENT]: 'true' } }))).to.equal(true)
    expect(isExperiment(aDeployment({ metadata: { labels: {}, ownerReferences: ours.ownerReferences } }))).to.equal(
      true,
    )
  })
})

describe('Denied keys are dropped: the metadata of a source’s pods', () => {
  const dropped = [
    'pod-template-hash',
    'batch.kubernetes.io/job-name',
    'kubectl.kubernetes.io/last-applied-configuration',
    'kubectl.kubernetes.io/restartedAt',
    'argocd.argoproj.io/tracking-id',
    'meta.helm.sh/release-name',
    'kapp.k14s.io/identity',
    'flagger-id',
    'flagger.app/x',
    'olm.owner',
    'fleet.cattle.io/bundle-id',
  ]
  const kept = [
    'app',
    'app.kubernetes.io/name',
    'helm.sh/chart',
    'kapp.k14s.io/app',
    'kapp.k14s.io/association',
    'prometheus.io/scrape',
    'sidecar.istio.io/inject',
    'vault.hashicorp.com/role',
  ]
  for (const key of dropped) it(`does not come along: ${key}`, () => expect(isDroppedKey(key)).to.equal(true))
  for (const key of kept) it(`comes along: ${key}`, () => expect(isDroppedKey(key)).to.equal(false))
})
