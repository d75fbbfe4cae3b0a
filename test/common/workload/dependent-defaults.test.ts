import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { withPodDefaults, withRollingUpdate } from '../../../common/workload/dependent-defaults.ts'

describe('withPodDefaults', () => {
  const spec = (pod: object) => withPodDefaults({ metadata: {}, spec: pod }).spec

  it('fills in how an image is pulled, by its tag', () => {
    const containers = ['cart', 'cart:latest', 'cart:1', 'cart@sha256:0'].map((image) => ({ image }))
    const policies = ['Always', 'Always', 'IfNotPresent', 'IfNotPresent']
    for (const list of ['containers', 'initContainers'])
      expect(spec({ [list]: containers })).to.deep.equal({
        [list]: containers.map((each, index) => ({ ...each, imagePullPolicy: policies[index] })),
      })
    expect(spec({ volumes: [{ name: 'files', image: { reference: 'files' } }] })).to.deep.equal({
      volumes: [{ name: 'files', image: { reference: 'files', pullPolicy: 'Always' } }],
    })
  })

  it('fills in the source of a volume without one', () =>
    expect(spec({ volumes: [{ name: 'v' }] })).to.deep.equal({ volumes: [{ name: 'v', emptyDir: {} }] }))

  for (const [what, pod] of Object.entries({
    'a pull policy': { containers: [{ image: 'cart', imagePullPolicy: 'Never' }] },
    'the pull policy of a volume': { volumes: [{ name: 'v', image: { reference: 'v', pullPolicy: 'Never' } }] },
    'a volume with a source': { volumes: [{ name: 'v', configMap: { name: 'v' } }] },
    'a container without an image': { containers: [{ name: 'cart' }] },
    'items that are no objects': { containers: ['cart', null], volumes: [1] },
    'a pod without containers': { nodeName: 'a' },
  }))
    it(`leaves ${what} as it is`, () => expect(spec(pod)).to.deep.equal(pod))

  it('leaves a template without a pod as it is', () => expect(withPodDefaults({})).to.deep.equal({}))
})

describe('withRollingUpdate', () => {
  it('writes out the rolling update of a strategy without it', () => {
    for (const strategy of [undefined, {}, { type: 'RollingUpdate' }])
      expect(at(withRollingUpdate({ strategy }), 'strategy')).to.deep.equal({
        type: 'RollingUpdate',
        rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
      })
  })

  it('leaves a strategy with it, and any other type, as they are', () => {
    for (const strategy of [{ type: 'Recreate' }, { rollingUpdate: { maxSurge: 1 } }, { type: 'Unknown' }])
      expect(withRollingUpdate({ strategy })).to.deep.equal({ strategy })
  })
})
