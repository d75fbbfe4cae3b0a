import { expect } from 'chai'
import { unionsOf } from '../../../common/override/shape.ts'

const cases: Record<string, readonly [properties: readonly string[], expected: readonly unknown[]]> = {
  'knows the two ways to set a variable': [
    ['name', 'value', 'valueFrom'],
    [{ is: 'oneOf', members: ['value', 'valueFrom'] }],
  ],
  'knows the sources of a variable': [
    ['configMapKeyRef', 'fieldRef', 'secretKeyRef'],
    [{ is: 'oneOf', members: ['configMapKeyRef', 'fieldRef', 'secretKeyRef'] }],
  ],
  'knows the sources of a volume, including those of later versions': [
    ['emptyDir', 'hostPath', 'name', 'persistentVolumeClaim', 'ofALaterVersion'],
    [{ is: 'oneOf', members: ['emptyDir', 'hostPath', 'persistentVolumeClaim', 'ofALaterVersion'] }],
  ],
  'knows the handlers of a probe, but not its numbers': [
    ['exec', 'grpc', 'httpGet', 'periodSeconds', 'tcpSocket'],
    [{ is: 'oneOf', members: ['exec', 'grpc', 'httpGet', 'tcpSocket'] }],
  ],
  'knows the handlers of a lifecycle hook': [
    ['exec', 'httpGet', 'sleep', 'tcpSocket'],
    [{ is: 'oneOf', members: ['exec', 'httpGet', 'sleep', 'tcpSocket'] }],
  ],
  'knows the two references of a resource claim': [
    ['name', 'resourceClaimName', 'resourceClaimTemplateName'],
    [{ is: 'oneOf', members: ['resourceClaimName', 'resourceClaimTemplateName'] }],
  ],
  'knows the member that needs one type of strategy': [
    ['rollingUpdate', 'type'],
    [{ is: 'byType', member: 'rollingUpdate', type: 'RollingUpdate' }],
  ],
  'knows the member that needs one type of security profile': [
    ['localhostProfile', 'type'],
    [{ is: 'byType', member: 'localhostProfile', type: 'Localhost' }],
  ],
  'finds no union if only one of its members is there': [['name', 'value', 'type', 'exec', 'emptyDir'], []],
}

describe('unionsOf', () => {
  for (const [sentence, [properties, expected]] of Object.entries(cases))
    it(sentence, () => expect(unionsOf(properties)).to.deep.equal(expected))
})
