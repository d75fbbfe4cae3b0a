import { expect } from 'chai'
import { isDefaulted } from '../../../common/override/changes.ts'
import { steps } from './steps.ts'

const C = 'template.spec.containers[cart]'
const I = 'template.spec.initContainers[init]'
const V = 'template.spec.volumes[v]'

/** Defaults of the API server. Each may be absent on one side. */
const defaults: readonly (readonly [path: string, value: unknown])[] = [
  [`${C}.imagePullPolicy`, 'IfNotPresent'],
  [`${C}.terminationMessagePath`, '/dev/termination-log'],
  [`${C}.terminationMessagePolicy`, 'File'],
  [`${C}.resources`, {}],
  [`${C}.ports[80].protocol`, 'TCP'],
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
]

/** Values that are not defaults. */
const others: Record<string, readonly [path: string, value: unknown]> = {
  'another value': [`${C}.imagePullPolicy`, 'Never'],
  'imagePullPolicy Always: without it a node may use an image that it already has': [`${C}.imagePullPolicy`, 'Always'],
  'resources that are not empty': [`${C}.resources.limits.cpu`, '1'],
  'a default of another field': [`${C}.readinessProbe.timeoutSeconds`, 10],
  'a label that is called like a field': ['template.metadata.labels.protocol', 'TCP'],
  'a file mode of another kind of volume': [`${V}.emptyDir.defaultMode`, 420],
}

describe('isDefaulted', () => {
  for (const [path, value] of defaults)
    it(`is true for ${path} ${JSON.stringify(value)}, whichever side it is on`, () => {
      expect(isDefaulted({ path: steps(path), before: value, after: undefined })).to.equal(true)
      expect(isDefaulted({ path: steps(path), before: undefined, after: value })).to.equal(true)
    })

  for (const [sentence, [path, value]] of Object.entries(others))
    it(`is false for ${sentence}`, () => {
      expect(isDefaulted({ path: steps(path), before: value, after: undefined })).to.equal(false)
      expect(isDefaulted({ path: steps(path), before: undefined, after: value })).to.equal(false)
    })

  it('is false if both sides have a value', () => {
    const path = steps(`${C}.imagePullPolicy`)
    expect(isDefaulted({ path, before: 'IfNotPresent', after: 'Never' })).to.equal(false)
  })
})
