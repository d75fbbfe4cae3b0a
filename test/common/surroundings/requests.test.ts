import { expect } from 'chai'
import { lackingRequests, runningContainers } from '../../../common/surroundings/requests.ts'

const container = (name: string, of: object = {}) => ({ name, ...of })
const requests = { resources: { requests: { cpu: '1' } } }
const limits = { resources: { limits: { cpu: '1' } } }
const memory = { resources: { requests: { memory: '1Gi' } } }
const OF_APP = ['resources.requests.cpu of container app']
const CPU = { resource: 'cpu' }
const OF_CONTAINER = { resource: 'cpu', container: 'app' }

const cases: Record<string, readonly [object, typeof CPU | typeof OF_CONTAINER, readonly string[]]> = {
  'nothing if each container has the request': [{ containers: [container('app', requests)] }, CPU, []],
  'nothing if each has a limit: the API server copies it': [{ containers: [container('app', limits)] }, CPU, []],
  'the request of a container': [{ containers: [container('app'), container('proxy', requests)] }, CPU, OF_APP],
  'the request of a container that has another one': [{ containers: [container('app', memory)] }, CPU, OF_APP],
  'the requests of several': [
    { containers: [container('app'), container('debug')] },
    CPU,
    [...OF_APP, 'resources.requests.cpu of container debug'],
  ],
  'the request of a native sidecar': [
    { containers: [container('app', requests)], initContainers: [container('proxy', { restartPolicy: 'Always' })] },
    CPU,
    ['resources.requests.cpu of container proxy'],
  ],
  'nothing for an init container, which ends': [
    { containers: [container('app', requests)], initContainers: [container('init')] },
    CPU,
    [],
  ],
  'nothing if the pod has the request': [{ ...requests, containers: [container('app')] }, CPU, []],
  'nothing if the pod has a limit': [{ ...limits, containers: [container('app')] }, CPU, []],
  'nothing if the pod has another request, and one container this one': [
    { ...memory, containers: [container('app'), container('proxy', requests)] },
    CPU,
    [],
  ],
  'the request of the pod if it has another one': [
    { ...memory, containers: [container('app')] },
    CPU,
    ['resources.requests.cpu'],
  ],
  'nothing for other containers than the one of the metric': [
    { containers: [container('app', requests), container('debug')] },
    OF_CONTAINER,
    [],
  ],
  'the request of the container of the metric, whatever the pod has': [
    { ...requests, containers: [container('app')] },
    OF_CONTAINER,
    OF_APP,
  ],
  'the container of the metric': [{ containers: [container('web', requests)] }, OF_CONTAINER, ['container app']],
}

describe('lackingRequests', () => {
  for (const [sentence, [pod, need, lacks]] of Object.entries(cases))
    it(`gives ${sentence}`, () => expect(lackingRequests(pod, need)).to.deep.equal(lacks))
})

describe('runningContainers', () => {
  it('are those that do not end', () => {
    const sidecar = container('proxy', { restartPolicy: 'Always' })
    const pod = { containers: [container('app')], initContainers: [container('init'), sidecar] }
    expect(runningContainers(pod)).to.deep.equal([container('app'), sidecar])
  })
})
