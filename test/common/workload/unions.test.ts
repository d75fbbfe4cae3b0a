import { expect } from 'chai'
import { unionsOf } from '../../../common/workload/unions.ts'

const cases: Record<string, readonly [properties: readonly string[], expected: readonly unknown[]]> = {
  'knows the two ways to fill a variable': [
    ['name', 'value', 'valueFrom'],
    [{ is: 'oneOf', members: ['value', 'valueFrom'] }],
  ],
  'knows where a variable is filled from': [
    ['configMapKeyRef', 'fieldRef', 'secretKeyRef'],
    [{ is: 'oneOf', members: ['configMapKeyRef', 'fieldRef', 'secretKeyRef'] }],
  ],
  'knows the sources of a volume, those of later versions included': [
    ['emptyDir', 'hostPath', 'name', 'persistentVolumeClaim', 'yetToCome'],
    [{ is: 'oneOf', members: ['emptyDir', 'hostPath', 'persistentVolumeClaim', 'yetToCome'] }],
  ],
  'knows the handlers of a probe, and leaves its numbers alone': [
    ['exec', 'grpc', 'httpGet', 'periodSeconds', 'tcpSocket'],
    [{ is: 'oneOf', members: ['exec', 'grpc', 'httpGet', 'tcpSocket'] }],
  ],
  'knows the handlers of a lifecycle hook': [
    ['exec', 'httpGet', 'sleep', 'tcpSocket'],
    [{ is: 'oneOf', members: ['exec', 'httpGet', 'sleep', 'tcpSocket'] }],
  ],
  'knows the two origins of a resource claim': [
    ['name', 'resourceClaimName', 'resourceClaimTemplateName'],
    [{ is: 'oneOf', members: ['resourceClaimName', 'resourceClaimTemplateName'] }],
  ],
  'knows what belongs to one type of strategy': [
    ['rollingUpdate', 'type'],
    [{ is: 'byType', member: 'rollingUpdate', type: 'RollingUpdate' }],
  ],
  'knows what belongs to one type of security profile': [
    ['localhostProfile', 'type'],
    [{ is: 'byType', member: 'localhostProfile', type: 'Localhost' }],
  ],
  'takes a single resemblance for none': [['name', 'value', 'type', 'exec', 'emptyDir'], []],
}

describe('unionsOf', () => {
  for (const [sentence, [properties, expected]] of Object.entries(cases))
    it(sentence, () => expect(unionsOf(properties)).to.deep.equal(expected))
})
