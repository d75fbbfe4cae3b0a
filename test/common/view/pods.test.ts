import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { viewPods } from '../../../common/view/pods.ts'
import { aPod, crashing } from './some-view.ts'

const problemOf = (of: Parameters<typeof aPod>[0]) => viewPods([aPod(of)])[0]?.problem
const container = (state: object, of: object = {}) => ({ name: 'cart', restartCount: 0, ready: false, state, ...of })

describe('the pods of a view', () => {
  it('have node, phase, restarts and age', () =>
    expect(viewPods([aPod({ name: 'b', isReady: true }), aPod({ name: 'a', isReady: true })])).to.deep.equal(
      ['a', 'b'].map((name) => ({
        ...{ name, node: 'node-2', phase: 'Running', isReady: true, restarts: 0, createdAt: '2026-11-21T09:50:00Z' },
      })),
    ))

  it('say of the worst container why it does not run', () => {
    expect(problemOf({ containers: [container({ waiting: { reason: 'ImagePullBackOff' } })] })).to.equal(
      'cart: ImagePullBackOff, 0 restarts',
    )
    expect(
      problemOf({ containers: [container({ waiting: { reason: 'ContainerCreating' } }), crashing('side', 1)] }),
    ).to.equal('side: CrashLoopBackOff (before: OOMKilled with exit code 137), 1 restart')
    expect(problemOf({ containers: [container({ terminated: { reason: 'Error', exitCode: 2 } })] })).to.equal(
      'cart: Error with exit code 2, 0 restarts',
    )
    expect(problemOf({})).to.equal('cart: not ready, 0 restarts')
  })

  it('have no problem with an init container that has ended well', () => {
    const done = container({ terminated: { reason: 'Completed', exitCode: 0 } }, { name: 'init' })
    expect(problemOf({ isReady: true, initContainers: [done] })).to.equal(undefined)
    const failed = container({ terminated: { reason: 'Error', exitCode: 1 } }, { name: 'init' })
    expect(problemOf({ isReady: true, initContainers: [failed] })).to.equal('init: Error with exit code 1, 0 restarts')
  })

  it('say why no node was found', () =>
    expect(
      problemOf({ status: { conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes\u0007' }] } }),
    ).to.equal('0/3 nodes\\u0007'))

  it('that are being deleted are Terminating', () =>
    expect(viewPods([aPod({ metadata: { name: 'a', deletionTimestamp: 'now' } })])[0]?.phase).to.equal('Terminating'))

  it('are at most 100, also where somebody else wrote nonsense', () => {
    const odd = [{}, { metadata: null }, { metadata: { name: {} }, status: { containerStatuses: [null, 1, []] } }]
    expect(viewPods(odd as unknown as readonly KubeObject[])).to.have.length(3)
    expect(viewPods(Array.from({ length: 200 }, () => aPod()))).to.have.length(100)
  })
})
