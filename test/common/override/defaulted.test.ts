import { expect } from 'chai'
import { isStoredAlike } from '../../../common/override/defaulted.ts'
import type { PathStep } from '../../../common/override/path.ts'
import { steps } from './steps.ts'
import { workload } from './workload.ts'

const C = 'template.spec.containers[cart]'
const I = 'template.spec.initContainers[init]'
const V = 'template.spec.volumes[v]'

/** Defaults of the API server. Each may be absent on one side. */
const defaults: readonly (readonly [path: string, value: unknown])[] = [
  [`${C}.imagePullPolicy`, 'IfNotPresent'],
  [`${C}.terminationMessagePath`, '/dev/termination-log'],
  [`${C}.terminationMessagePolicy`, 'File'],
  [`${C}.resources`, {}],
  [`${C}.resources.limits`, {}],
  [`${C}.tty`, false],
  [`${C}.args`, []],
  [`${C}.ports[80].protocol`, 'TCP'],
  [`${C}.env[A].value`, ''],
  [`${C}.env[A].valueFrom.fieldRef.apiVersion`, 'v1'],
  [`${C}.livenessProbe.httpGet.scheme`, 'HTTP'],
  [`${C}.lifecycle.preStop.httpGet.scheme`, 'HTTP'],
  [`${C}.readinessProbe.timeoutSeconds`, 1],
  [`${C}.readinessProbe.successThreshold`, 1],
  [`${C}.startupProbe.periodSeconds`, 10],
  [`${C}.startupProbe.failureThreshold`, 3],
  [`${I}.imagePullPolicy`, 'IfNotPresent'],
  [`${V}.secret.defaultMode`, 0o644],
  [`${V}.configMap.defaultMode`, 420],
  [`${V}.hostPath.type`, ''],
  [`${V}.ephemeral.volumeClaimTemplate.metadata.creationTimestamp`, null],
  ['template.spec.restartPolicy', 'Always'],
  ['template.spec.securityContext', {}],
  ['template.spec.hostNetwork', false],
  ['template.metadata.annotations', {}],
  ['volumeClaimTemplates[data].kind', 'PersistentVolumeClaim'],
  ['strategy.type', 'RollingUpdate'],
  [`${V}.rbd.pool`, 'rbd'],
  ['revisionHistoryLimit', 10],
]

/** Empty values of plain fields, which the API server leaves out. */
const empty: readonly (readonly [path: string, value: unknown])[] = [
  ['template.spec.priorityClassName', ''],
  ['template.spec.schedulerName', ''],
  ['template.spec.tolerations[0].value', ''],
  [`${C}.ports[80].hostPort`, 0],
  [`${C}.volumeMounts[/a].subPath`, ''],
  [`${C}.volumeMounts[/a].readOnly`, false],
  [`${C}.workingDir`, ''],
  [`${C}.livenessProbe.httpGet.host`, ''],
  [`${C}.livenessProbe.initialDelaySeconds`, 0],
  [`${C}.livenessProbe.periodSeconds`, 0],
  ['template.spec.topologySpreadConstraints[0].labelSelector.matchLabels', {}],
  ['template.spec.nodeSelector', {}],
  ['minReadySeconds', 0],
]

/** Values that are not defaults. */
const others: Record<string, readonly [path: string, value: unknown]> = {
  'another value': [`${C}.imagePullPolicy`, 'Never'],
  'imagePullPolicy Always: without it a node may use an image that it already has': [`${C}.imagePullPolicy`, 'Always'],
  'resources that are not empty': [`${C}.resources.limits.cpu`, '1'],
  'a default of another field': [`${C}.readinessProbe.timeoutSeconds`, 10],
  'a label that is called like a field': ['template.metadata.labels.protocol', 'TCP'],
  'a file mode of another kind of volume': [`${V}.emptyDir.defaultMode`, 420],
  'false where absent means something else': ['template.spec.automountServiceAccountToken', false],
  'an empty object that means something': [`${V}.emptyDir`, {}],
  'null elsewhere': [`${C}.args`, null],
  '0 where absent means something else': [`${C}.securityContext.runAsUser`, 0],
  'false where absent means true': ['template.spec.hostUsers', false],
  'an empty label': ['template.metadata.labels.value', ''],
  'an empty value of an option of DNS': ['template.spec.dnsConfig.options[0].value', ''],
  'the partition of a StatefulSet': ['updateStrategy.rollingUpdate.partition', ''],
  'an empty field of a CRD': ['strategy.canary.analysis.args[0].value', ''],
  'an empty field that the schema does not have': ['template.spec.targetContainerName', ''],
}

const isAlike = (path: readonly PathStep[], before: unknown, after: unknown, specs: object = {}) =>
  isStoredAlike({ path, before, after }, { before: undefined, after: undefined, shape: workload(), ...specs })

describe('M10: the API server stores alike', () => {
  for (const [path, value] of empty)
    it(`N10: ${path} ${JSON.stringify(value)} and no value, whichever side it is on`, () => {
      expect(isAlike(steps(path), value, undefined)).to.equal(true)
      expect(isAlike(steps(path), undefined, value)).to.equal(true)
    })

  it('N10: the type of the update of a StatefulSet, which comes with a partition', () => {
    const found = (updateStrategy: object) =>
      isAlike(steps('updateStrategy.type'), 'RollingUpdate', undefined, { before: { updateStrategy }, after: {} })
    expect(found({ type: 'RollingUpdate', rollingUpdate: { partition: 0 } })).to.equal(true)
    expect(found({ type: 'RollingUpdate' })).to.equal(false)
  })

  it('N10: an empty value and the default, but no other value', () => {
    expect(isAlike(steps(`${C}.livenessProbe.periodSeconds`), 10, 0)).to.equal(true)
    expect(isAlike(steps(`${C}.livenessProbe.periodSeconds`), 5, 0)).to.equal(false)
    expect(isAlike(steps('template.spec.schedulerName'), 'default-scheduler', '')).to.equal(true)
    expect(isAlike(steps(`${C}.ports[80].protocol`), 'TCP', '')).to.equal(true)
    expect(isAlike(steps(`${C}.ports[80].hostPort`), 80, 0)).to.equal(false)
  })

  for (const [path, value] of defaults)
    it(`${path} ${JSON.stringify(value)} and no value, whichever side it is on`, () => {
      expect(isAlike(steps(path), value, undefined)).to.equal(true)
      expect(isAlike(steps(path), undefined, value)).to.equal(true)
    })

  for (const [sentence, [path, value]] of Object.entries(others))
    it(`not ${sentence}`, () => {
      expect(isAlike(steps(path), value, undefined)).to.equal(false)
      expect(isAlike(steps(path), undefined, value)).to.equal(false)
    })

  it('no two values', () => expect(isAlike(steps(`${C}.imagePullPolicy`), 'IfNotPresent', 'Never')).to.equal(false))

  it('what it writes itself, whatever is sent', () => {
    const kind = steps('volumeClaimTemplates[data].kind')
    expect(isAlike(kind, 'PersistentVolumeClaim', 'Claim')).to.equal(true)
    expect(isAlike(kind, undefined, 'Claim')).to.equal(true)
    expect(isAlike(steps(`${V}.azureDisk.kind`), 'Shared', 'Claim')).to.equal(false)
  })

  it('quantities in other words, but no other texts', () => {
    expect(isAlike(steps(`${C}.resources.limits.memory`), '1Gi', '1024Mi')).to.equal(true)
    expect(isAlike(steps('volumeClaimTemplates[0].spec.resources.requests.storage'), '1', 1)).to.equal(true)
    expect(isAlike(steps(`${C}.resources.limits.memory`), '1Gi', '1G')).to.equal(false)
    expect(isAlike(steps(`${C}.env[A].value`), '1Gi', '1024Mi')).to.equal(false)
  })

  const pulled = (before: string | undefined, after: string | undefined, images: readonly [string, string]) => {
    const [was, is] = [before, after].map((imagePullPolicy, at) => ({
      template: { spec: { containers: [{ name: 'cart', image: images[at], imagePullPolicy }] } },
    }))
    return isAlike(steps(`${C}.imagePullPolicy`), before, after, { before: was, after: is })
  }

  it('how an image is pulled, by the tag of the image of that side', () => {
    expect(pulled('Always', undefined, ['a', 'b'])).to.equal(true)
    expect(pulled('Always', undefined, ['a:1', 'localhost:5000/b:latest'])).to.equal(true)
    expect(pulled(undefined, 'IfNotPresent', ['localhost:5000/a:1', 'b'])).to.equal(true)
    expect(pulled('Always', undefined, ['a', 'b:1'])).to.equal(false)
    expect(pulled('IfNotPresent', undefined, ['a:1', 'b'])).to.equal(false)
    expect(pulled(undefined, 'Always', ['a@sha256:0', 'b'])).to.equal(false)
  })

  it('no policy of an image whose reference is an object, as a Rollout may have one', () => {
    const image = { reference: { toString: 1, valueOf: 1 }, pullPolicy: 'Always' }
    const before = { template: { spec: { volumes: [{ name: 'v', image }] } } }
    expect(isAlike(steps(`${V}.image.pullPolicy`), 'Always', undefined, { before, after: {} })).to.equal(false)
  })

  it('the port of the node and of the container, in the network of the node', () => {
    const spec = (hostNetwork: boolean, port: object) => ({
      template: { spec: { hostNetwork, containers: [{ name: 'cart', ports: [{ containerPort: 80, ...port }] }] } },
    })
    const found = (hostNetwork: boolean, hostPort: number) =>
      isAlike(steps(`${C}.ports[80].hostPort`), hostPort, undefined, {
        before: spec(true, { hostPort }),
        after: spec(hostNetwork, {}),
      })
    expect([found(true, 80), found(true, 81), found(false, 80)]).to.deep.equal([true, false, false])
  })

  it('an empty directory and a volume without a source', () => {
    const spec = (of: object) => ({ template: { spec: { volumes: [{ name: 'v', ...of }] } } })
    const found = (of: object) =>
      isAlike(steps(`${V}.emptyDir`), {}, undefined, { before: spec({ emptyDir: {} }), after: spec(of) })
    expect([found({}), found({ configMap: { name: 'x' } })]).to.deep.equal([true, false])
  })
})
