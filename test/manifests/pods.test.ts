import { expect } from 'chai'
import { at, isObject, listOr, objectOr } from '../../common/json/json.ts'
import { LIMITS_MS } from '../../controller/liveness.ts'
import { shippedOne } from './shipped.ts'

const PROGRAMS = ['experiment-controller', 'experiment-webhook']
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount'

const podOf = (name: string) => objectOr(at(shippedOne('base', 'Deployment', name), 'spec', 'template', 'spec'))
const containerOf = (name: string) => objectOr(listOr(podOf(name).containers)[0])

/**
 * The ports of a rule of a NetworkPolicy, by the names that the pod of `program` gives them. The rule must have their
 * numbers: OVN-Kubernetes takes a name for every port.
 */
const portsOf = (program: string, rule: unknown) =>
  listOr(at(rule, 'ports')).map((port) => {
    const named = listOr(containerOf(program).ports).find((each) => at(each, 'containerPort') === at(port, 'port'))
    return at(named, 'name')
  })

describe('the pods of the manifests', () => {
  for (const name of PROGRAMS) {
    it(`${name} has only a projected token, where the client looks for it`, () => {
      expect(podOf(name).automountServiceAccountToken).to.equal(false)
      expect(shippedOne('base', 'ServiceAccount', name).automountServiceAccountToken).to.equal(false)
      const mount = listOr(containerOf(name).volumeMounts).find((found) => at(found, 'mountPath') === TOKEN_PATH)
      const volume = listOr(podOf(name).volumes).find((found) => at(found, 'name') === at(mount, 'name'))
      const sources = listOr(at(volume, 'projected', 'sources')).flatMap((source) => Object.keys(objectOr(source)))
      expect(sources).to.deep.equal(['serviceAccountToken', 'configMap', 'downwardAPI'])
      expect(at(mount, 'readOnly')).to.equal(true)
    })

    it(`${name} has every restriction of Pod Security`, () => {
      expect(at(podOf(name), 'securityContext')).to.deep.include({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      expect(containerOf(name).securityContext).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
    })

    it(`${name} knows its namespace, has time to end, a priority, probes and resources`, () => {
      const variables = listOr(containerOf(name).env).filter(isObject)
      const namespace = variables.find((variable) => variable.name === 'POD_NAMESPACE')
      expect(at(namespace, 'valueFrom', 'fieldRef', 'fieldPath')).to.equal('metadata.namespace')
      expect(podOf(name)).to.deep.include({
        terminationGracePeriodSeconds: 45,
        priorityClassName: 'experiment-deployment-controller-nonpreempting',
        enableServiceLinks: false,
        nodeSelector: { 'kubernetes.io/os': 'linux' }, // nobody builds the image for Windows
      })
      expect(containerOf(name)).to.include.keys('livenessProbe', 'readinessProbe', 'resources')
    })

    it(`${name} is not restarted for an event loop that turns within the limit of /livez`, () => {
      const seconds = at(containerOf(name), 'livenessProbe', 'timeoutSeconds')
      expect(Number(seconds) * 1_000).to.be.at.least(LIMITS_MS.eventLoop)
    })
  }

  it('come before other pods, but evict none', () => {
    const [priority = ''] = new Set(PROGRAMS.map((name) => `${podOf(name).priorityClassName}`))
    const { value, preemptionPolicy, globalDefault } = shippedOne('base', 'PriorityClass', priority)
    expect({ value, preemptionPolicy, globalDefault }).to.deep.equal({
      value: 1_000_000,
      preemptionPolicy: 'Never',
      globalDefault: undefined,
    })
  })

  for (const [name, replicas] of [
    ['experiment-webhook', 3],
    ['experiment-controller', 2],
  ] as const)
    it(`are ${replicas} of ${name}, spread over hosts and zones, of which one always stays`, () => {
      const workload = shippedOne('base', 'Deployment', name)
      expect(at(workload, 'spec', 'replicas')).to.equal(replicas)
      expect(at(workload, 'spec', 'strategy', 'rollingUpdate', 'maxUnavailable')).to.equal(0)
      const spread = listOr(podOf(name).topologySpreadConstraints).map((found) => at(found, 'topologyKey'))
      expect(spread).to.deep.equal(['kubernetes.io/hostname', 'topology.kubernetes.io/zone'])
      const budget = shippedOne('base', 'PodDisruptionBudget', name)
      expect(budget.spec).to.deep.include({ minAvailable: 1, selector: at(workload, 'spec', 'selector') })
    })

  it('allow the admission port from everywhere until addresses are added, and the other ports only from monitoring', () => {
    const rows = PROGRAMS.flatMap((name) => {
      const policy = shippedOne('base', 'NetworkPolicy', name)
      expect(at(policy, 'spec', 'podSelector', 'matchLabels')).to.deep.equal({ 'app.kubernetes.io/name': name })
      return listOr(at(policy, 'spec', 'ingress')).map((rule) => [
        portsOf(name, rule).join(),
        [...new Set(listOr(at(rule, 'from')).flatMap((from) => Object.keys(objectOr(from))))].join(),
      ])
    })
    expect(rows).to.deep.equal([
      ['probes', 'namespaceSelector'],
      ['admission', ''], // an ipBlock would keep out an API server on a node where Cilium is the network
      ['health', 'namespaceSelector'],
    ])
  })
})
